"""No secret is ever in a preview, in no form; and what is left is the same in every run."""

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from cli.preview import program, runner
from cli.preview.comparison import Comparison
from cli.preview.masks import PUBLIC, Masks
from cli.preview.recording import Recording
from cli.preview.report import as_document, as_markdown, as_text
from tests.cli.preview.conftest import MESH_CA
from tests.mocks import PROJECT, Run, run_program, unwrap


@dataclass(frozen=True)
class Watched:
    """A recording, and the run with the real secrets that it was made of."""

    run: Run
    recording: Recording


@pytest.fixture(scope="module")
def watched() -> Watched:
    runs = []

    def watching(*args: object, **how: object) -> Run:
        runs.append(program.run_program(*args, **how))  # type: ignore[arg-type]
        return runs[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "run_program", watching)
        recording = runner.record(PROJECT, "west", MESH_CA)
    return Watched(runs[0], recording)


def secrets(value: object, key: str = "") -> Iterator[str]:
    """Every secret text in what a Stash keeps."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from secrets(inner, name)
    elif key not in PUBLIC:
        yield str(value)


def generated(run: Run) -> list[str]:
    kept = [stash for stash in run.of("Stash") if not stash.name.endswith("-lifetime")]
    found = [secret for stash in kept for secret in secrets(unwrap(stash.inputs["input"]))]
    [access] = run.of("kubernetes")
    return [*found, str(unwrap(access.inputs["kubeconfig"]))]


def forms(secret: str) -> Iterator[str]:
    for text in {secret, secret.strip(), f"{secret}\n"}:
        yield text
        yield json.dumps(text)[1:-1]
        yield text.replace("\n", "\n    ")
        yield base64.b64encode(text.encode()).decode()
    # A line of its own gives a key away however the others are indented.
    yield from (line for line in secret.splitlines() if len(line) == 64)


def printed(watched: Watched) -> str:
    new = Comparison(watched.recording, "nothing", None)
    same = Comparison(watched.recording, "main", watched.recording)
    texts = [as_text(new), as_markdown(new), json.dumps(as_document(new)), as_text(same)]
    return "\n".join([*texts, watched.recording.as_json()])


def test_no_generated_secret_is_printed_in_any_form(watched: Watched) -> None:
    everything = printed(watched)
    found = generated(watched.run)
    assert len(found) == 8  # three CAs, service account, token, mesh CA, admin, kubeconfig
    for secret in found:
        for form in forms(secret):
            assert form not in everything, form[:20]
    assert "PRIVATE KEY" not in everything
    assert "H4sI" not in everything  # gzip in base64: what a machine boots with


def test_what_is_masked_says_what_it_is(watched: Watched) -> None:
    everything = printed(watched)
    for mask in (
        "token: <secret: bootstrap token>",
        "<secret: cluster CA key>",
        "<secret: etcd CA key>",
        "<secret: front proxy CA key>",
        "<secret: service account private>",
        "<made once: cluster CA certificate>",
        "- sha256:<made once: hash of cluster CA certificate>",
    ):
        assert mask in everything
    assert watched.recording.outputs["kubeconfig"] == "<secret>"


def test_a_second_run_with_other_keys_is_the_same_recording(watched: Watched) -> None:
    assert runner.record(PROJECT, "west", MESH_CA) == watched.recording


def test_a_secret_that_slipped_into_a_text_is_masked_there_too() -> None:
    run = run_program("east")
    masks = Masks(run)
    [stash] = [one for one in run.of("Stash") if one.name == "east-secrets"]
    key = unwrap(stash.inputs["input"])["clusterCa"]["key"]
    hidden = base64.b64encode(gzip.compress(f"a: {key}".encode())).decode()
    twice = base64.b64encode(f"x{base64.b64encode(key.encode()).decode()}".encode()).decode()
    foreign = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
    assert masks.text(f"data: {hidden}.") == "data: <secret>."
    assert masks.text(twice) == "<secret>"
    assert masks.text(json.dumps(key)) == '"<secret: cluster CA key>\\n"'
    assert masks.text(foreign) == "<secret: private key>"


def test_what_is_no_secret_stays() -> None:
    masks = Masks(run_program("east"))
    digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me"
    words = base64.b64encode(b"nothing but words, and rather many of them").decode()
    for text in (digest, key, words, "east", "10.11.84.20"):
        assert masks.text(text) == text
