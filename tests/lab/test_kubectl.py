"""kubectl as it fails: a program of that name on PATH, in no namespace of the lab."""

import json
import os
from pathlib import Path

import pytest

from lab import inside, kubectl
from lab.kubectl import KubectlError

FAKE = """\
#!/usr/bin/env bash
case "$*" in
  *refused*) echo "half an answer"; echo "connection refused" >&2; exit 1 ;;
  *killed*) kill -9 $$ ;;
  *quiet*) echo "reason on standard output"; exit 3 ;;
  *slow*) exec sleep 60 ;;
  *filename=-*) exec cat ;;
  *get*) printf '{"arguments": "%s"}' "$*" ;;
  *) printf '%s\\n' "$@" ;;
esac
"""


@pytest.fixture(autouse=True)
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "kubectl"
    program.write_text(FAKE)
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    monkeypatch.setattr(inside, "command", lambda arguments: arguments)
    monkeypatch.setattr(inside, "environment", lambda: {**os.environ, "PATH": path})
    monkeypatch.setenv("PATH", path)


def test_the_output_is_returned_and_the_cluster_is_named() -> None:
    assert kubectl.run("east", "version") == "--context=east\nversion\n"


def test_what_is_given_arrives_on_standard_input() -> None:
    assert kubectl.run("east", "apply", "--filename=-", given="kind: Pod\n") == "kind: Pod\n"


def test_an_object_is_asked_for_as_json() -> None:
    found = kubectl.get("west", "service", "web", "--namespace=lab-probe")
    wanted = "--context=west get service web --namespace=lab-probe --output=json"
    assert found == json.loads(f'{{"arguments": "{wanted}"}}')


def test_a_command_in_a_pod_comes_after_the_dashes() -> None:
    asked = kubectl.execute("east", "kube-system", "daemonset/cilium", "cilium-dbg", "--help")
    assert asked.split() == [
        "--context=east",
        "exec",
        "--namespace=kube-system",
        "daemonset/cilium",
        "--",
        "cilium-dbg",
        "--help",
    ]


def test_a_failure_says_what_kubectl_said() -> None:
    with pytest.raises(KubectlError, match=r"connection refused$"):
        kubectl.run("east", "refused")


def test_a_failure_that_is_silent_on_standard_error_still_says_something() -> None:
    with pytest.raises(KubectlError, match=r"^reason on standard output$"):
        kubectl.run("east", "quiet")


def test_one_that_was_killed_without_a_word_is_told_by_its_signal() -> None:
    with pytest.raises(KubectlError, match=r"^kubectl killed ended with -9$"):
        kubectl.run("east", "killed")


def test_a_server_that_never_answers_is_given_up() -> None:
    with pytest.raises(KubectlError, match=r"^no answer in 0 s: kubectl slow node$"):
        kubectl.run("east", "slow", "node", seconds=0.3)
