"""YAML for programs written in Go, and files inside YAML that one can read."""

import re
from typing import Any

import yaml

# Go's parser reads 1e3 and 123456.1e4 as numbers where Python's reads text and adds no quotes.
STARTS_LIKE_A_NUMBER = re.compile(r"[-+.]?\d")


def yaml_text(*documents: dict[str, Any]) -> str:
    """The documents in the order of their keys; a text of several lines stands line by line."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, width=100)


class _Dumper(yaml.SafeDumper):
    pass


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else '"' if STARTS_LIKE_A_NUMBER.match(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
