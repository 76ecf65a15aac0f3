"""Exec and port-forward through a real API server, with a stand-in for the node's kubelet."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.doctor.asking.access import Access
from cli.doctor.asking.api import Api, NoAnswerError
from cli.doctor.asking.dns import core_dns
from cli.doctor.asking.inside import PodChannels
from cli.doctor.facts import Unanswered
from tests.cli.conftest import Kubernetes, kubernetes
from tests.cli.doctor.kubelet import Play, kubelet
from tests.cli.doctor.objects import SYSTEM, Writer, node, pod
from tests.cli.doctor.test_silent import server_pair

__all__ = ["kubernetes"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

ANSWER = (300).to_bytes(2) + b"a" * 300


def play(path: str, read: Callable[[], bytes]) -> Iterator[bytes]:
    """What the channels carry, by the pod that was asked for."""
    if path.startswith("/containerLogs/"):
        yield logged(path).encode()
        return
    if "/portForward/" in path:
        # Each of the two channels begins with the port's number.
        yield from (bytes([channel]) + (53).to_bytes(2, "little") for channel in (0, 1))
        question = read()
        if "mute" in path:
            yield b"\x01nobody listens"
        else:
            assert question == b"\x00question"
            yield b"\x00" + ANSWER[:7]
            yield b"\x00" + ANSWER[7:]
        return
    yield from (bytes([channel]) for channel in (1, 2, 3))
    if "mute" in path:
        yield b"\x02no such file\nError: daemon unreachable\n"
        failed = {"status": "Failure", "message": "command terminated", "reason": "NonZeroExitCode"}
        yield b"\x03" + json.dumps(failed).encode()
        return
    assert "command=cilium-dbg&command=status" in path
    yield b"\x01first, "
    yield b"\x02a warning nobody needs\n"
    yield b"\x01second"
    yield b"\x03" + json.dumps({"status": "Success"}).encode()


def logged(path: str) -> str:
    """The log of a pod named mute, which died before, and of one that could not reload."""
    if "mute" in path:
        died = "[INFO] starting\n/etc/coredns/Corefile:7 - Error: Unknown directive 'forwrd'\n\n"
        return died if "previous=true" in path else "[INFO] starting\n"
    return (
        "[ERROR] plugin/reload: Corefile changed but reload failed: an old one\n"
        "[INFO] Reloading complete\n"
        "[ERROR] Restart failed: Unknown directive 'cash'\n"
        "[INFO] plugin/ready: Still waiting\n"
    )


def silent(path: str, read: Callable[[], bytes]) -> Iterator[bytes]:
    yield from ()


class Pods(NamedTuple):
    """Pods of one node, by what they are for."""

    api: Api
    inside: PodChannels
    cilium: str
    mute: str


@pytest.fixture
def pods(kubernetes: Kubernetes, tmp_path: Path) -> Iterator[Pods]:
    with on_a_node(kubernetes, tmp_path, play) as made:
        yield made


@contextmanager
def on_a_node(api: Kubernetes, directory: Path, plays: Play) -> Iterator[Pods]:
    (directory / "pair").write_text(server_pair(1))
    way = Access("east", api.server, api.secrets.cluster_ca.certificate, api.admin)
    with (
        kubelet(directory / "pair", plays) as port,
        closing(Writer(api)) as writer,
        closing(Api(way)) as asked,
    ):
        made = node(f"node-{port}", ready="True")
        made["status"]["addresses"] = [{"type": "InternalIP", "address": "127.0.0.1"}]
        made["status"]["daemonEndpoints"] = {"kubeletEndpoint": {"Port": port}}
        writer.create("/api/v1/nodes", made)
        names = [f"{app}-{port}" for app in ("cilium", "mute")]
        for name in names:
            there = pod("cilium")
            there["metadata"] = {"name": name, "labels": {"k8s-app": "kube-dns"}}
            there["spec"]["nodeName"] = f"node-{port}"
            ready = "False" if name.startswith("mute") else "True"
            there["status"]["conditions"] = [{"type": "Ready", "status": ready}]
            writer.create(f"{SYSTEM}/pods", there)
        yield Pods(asked, PodChannels(asked), *names)


def test_what_a_program_prints_is_read_without_its_complaints(pods: Pods) -> None:
    said = pods.inside.run(pods.cilium, "cilium", "cilium-dbg", "status")
    assert said == "first, second"


def test_a_program_that_fails_says_its_last_words(pods: Pods) -> None:
    with pytest.raises(NoAnswerError, match=r"^cilium-dbg failed: Error: daemon unreachable$"):
        pods.inside.run(pods.mute, "cilium", "cilium-dbg", "status")


def test_a_port_answers_in_pieces(pods: Pods) -> None:
    assert pods.inside.dial(pods.cilium, 53, b"question") == ANSWER


def test_a_port_where_nobody_listens_is_no_answer(pods: Pods) -> None:
    with pytest.raises(NoAnswerError, match="no connection to port 53"):
        pods.inside.dial(pods.mute, 53, b"question")


def test_a_pod_that_is_not_there_is_no_answer(pods: Pods) -> None:
    with pytest.raises(NoAnswerError, match="no way into pod nowhere"):
        pods.inside.run("nowhere", "cilium", "true")


def test_channels_that_end_without_a_word_are_no_answer(
    kubernetes: Kubernetes, tmp_path: Path
) -> None:
    with on_a_node(kubernetes, tmp_path, silent) as pods:
        with pytest.raises(NoAnswerError, match="it ended without a word"):
            pods.inside.run(pods.cilium, "cilium", "true")
        with pytest.raises(NoAnswerError, match="port 53 hung up without an answer"):
            pods.inside.dial(pods.cilium, 53, b"question")


def test_the_line_is_found_that_says_why_core_dns_is_not_well(pods: Pods) -> None:
    found = core_dns(pods.api).pods
    assert not isinstance(found, Unanswered)
    said = {one.name: (one.ready, one.complaint) for one in found}
    died = "/etc/coredns/Corefile:7 - Error: Unknown directive 'forwrd'"
    assert said[pods.mute] == (False, died)
    assert said[pods.cilium] == (True, "[ERROR] Restart failed: Unknown directive 'cash'")
