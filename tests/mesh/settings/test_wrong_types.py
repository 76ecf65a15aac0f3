"""Every setting, given every kind of value that is not its own: our words, and a cure."""

import re
from copy import deepcopy
from typing import Any

import pytest
import yaml

from mesh.settings import Problem, SettingsError
from mesh.settings.keys import setting_keys
from tests.mesh.settings.written import Config, read, shipped

WRONG: dict[str, Any] = {
    "a text": "nonsense",
    "an empty text": "",
    "a number": 7,
    "a number below zero": -1,
    "a huge number": 10**30,
    "a fraction": 1.5,
    "no number": float("nan"),
    "true": True,
    "nothing": None,
    "an empty list": [],
    "a list": ["nonsense", 7, None, [], {}],
    "an empty group": {},
    "a group": {"nonsense": 7},
}
PYDANTIC = re.compile(
    r"input should|valid (string|integer|boolean|dictionary|list|tuple)|pydantic|union|_type|"
    r"function-|nonetype|literal\[|got an unexpected|extra inputs|validation error|traceback|"
    r"is not taken here",
    re.IGNORECASE,
)
PROPOSALS = (
    re.compile(r"write one like ([\[{].*[\]}]|[^,]+).*"),
    re.compile(r"write (-?\d+|\w+) or .*"),
    re.compile(r"put it in quotes, ('.*')"),
)
"""How a value is proposed."""
NOTHING = object()
FIRST_OF_A_KIND = {
    "acceptance": {"enabled": True},
    "dns.extra": {"plugins": "log"},
    "loadBalancer.bgp": {"asn": 64512, "peers": [{"address": "10.9.9.1", "asn": 1}]},
    "workloads": {
        "east": {
            "kind": "custom",
            "image": "registry.example.com/notes:1.2.0",
            "ports": {"client": 8080},
            "configuration": {"path": "/etc/notes.conf", "text": "${MEMBERS}"},
            "clusters": {"east": {"replicas": 1}},
        }
    },
}
"""Groups that the shipped file does not have."""
NAME = "east"
"""What stands for `<name>` in a key: a workload, and the cluster that has members of it."""
KEYS = {key.replace("<name>", NAME): field for key, field in setting_keys().items()}
EACH_KEY = pytest.mark.parametrize("key", KEYS)


def whole(key: str) -> Config:
    """The shipped config of east, with the groups around a key that it leaves out."""
    config = shipped("east")
    for path, group in FIRST_OF_A_KIND.items():
        if key.startswith(f"{path}."):
            put(config, path, deepcopy(group))
    return config


def put(config: Config, path: str, value: object) -> None:
    """Set a value at `a.b[0].c`; a list without a place stands for its first item."""
    *around, last = re.findall(r"[^.\[\]]+", path)
    inner: Any = config
    for part in around:
        inner = inner[0] if isinstance(inner, list) and not part.isdigit() else inner
        inner = inner[int(part)] if part.isdigit() else inner[part]
    inner = inner[0] if isinstance(inner, list) and not last.isdigit() else inner
    inner[int(last) if last.isdigit() else last] = value


def with_value(around: str, key: str, value: object) -> Config:
    config = whole(around)
    put(config, key, value)
    return config


def proposal(problem: Problem) -> object:
    """The value that the line proposes, or NOTHING."""
    for words in PROPOSALS:
        if problem.reason != "is not a setting" and (match := words.fullmatch(problem.instead)):
            return yaml.safe_load(match[1])
    return NOTHING


def refusals(config: Config) -> tuple[Problem, ...]:
    try:
        read(config)
    except SettingsError as error:
        return error.problems
    return ()


@EACH_KEY
def test_a_value_of_a_wrong_kind_is_refused_in_our_words_or_taken(key: str) -> None:
    for wrong in WRONG.values():
        for problem in refusals(with_value(key, key, wrong)):
            line = str(problem)
            assert len(line.splitlines()) == 1
            assert not PYDANTIC.search(line), line
            assert problem.reason
            assert problem.instead
            assert problem.key.startswith(key.partition(".")[0])


@EACH_KEY
def test_a_proposed_value_is_taken_where_it_was_proposed(key: str) -> None:
    for wrong in WRONG.values():
        for problem in refusals(with_value(key, key, wrong)):
            if (proposed := proposal(problem)) is NOTHING:
                continue
            config = with_value(key, key, wrong)
            put(config, problem.key, proposed)
            left = [(other.key, other.reason) for other in refusals(config)]
            assert (problem.key, problem.reason) not in left, problem


def test_true_is_no_number_and_a_text_is_no_boolean() -> None:
    for key, field in KEYS.items():
        if field.annotation in (int, bool):
            lookalike = True if field.annotation is int else "true"
            assert refusals(with_value(key, key, lookalike)), key
