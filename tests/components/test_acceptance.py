"""What `acceptance` adds to a cluster, under the mocks of the whole program."""

import json
from typing import Any

import pytest

from tests.mocks import NAME, Run, config_of, run_program, unwrap
from tests.test_program import exported


def with_acceptance(value: object, *, preview: bool = False, peers: tuple[str, ...] = ()) -> Run:
    # The engine hands over a word as it is, and a group as JSON.
    config = config_of("east") | {f"{NAME}:acceptance": json.dumps(value)}
    return run_program("east", config=config, preview=preview, exports=exported(*peers))


@pytest.fixture(scope="module")
def run() -> Run:
    return with_acceptance(True)


def job(run: Run) -> dict[str, Any]:
    made: dict[str, Any] = unwrap(run.one("east-acceptance-run").inputs)
    return made


def plan(run: Run) -> dict[str, Any]:
    [container] = job(run)["spec"]["template"]["spec"]["containers"]
    [text] = [one["value"] for one in container["env"] if one["name"] == "PLAN"]
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize("value", [False, {"enabled": False, "required": True}])
def test_off_it_adds_nothing_and_tells_nothing(value: object) -> None:
    off = with_acceptance(value)
    assert not [one for one in off.made if "acceptance" in one.name]
    assert "acceptance" not in off.outputs


def test_on_it_is_asked_last_when_names_and_addresses_are_there(run: Run) -> None:
    after = "\n".join(run.one("east-acceptance").request.dependencies)
    for part in ("cilium", "exposure-mesh-dns", "exposure-clustermesh-apiserver", "core-dns-roll"):
        assert f"::east-{part}" in after
    before = "\n".join(run.one("east-acceptance-run").request.dependencies)
    assert "::east-acceptance-statefulset-target" in before


def test_all_of_it_goes_with_the_cluster(run: Run) -> None:
    made = [one for one in run.custom if one.name.startswith("east-acceptance-")]
    assert len(made) == 10
    for one in made:
        assert one.request.deletedWith.endswith("::east-lifetime"), one.name
        assert "pulumi:providers:kubernetes::" in one.request.provider


def test_what_a_run_writes_is_no_drift(run: Run) -> None:
    result = run.one("east-acceptance-configmap-mesh-acceptance-result")
    assert list(result.request.ignoreChanges) == ["data"]


def test_a_peer_that_comes_up_later_makes_another_run(run: Run) -> None:
    later = with_acceptance(True, peers=("west",))
    assert [peer["there"] for peer in plan(run)["peers"]] == [False]
    assert [peer["there"] for peer in plan(later)["peers"]] == [True]
    assert job(run)["metadata"]["name"] != job(later)["metadata"]["name"]


def test_the_same_settings_make_the_same_run(run: Run) -> None:
    assert job(run) == job(with_acceptance({"enabled": True}))


def test_another_image_makes_another_run(run: Run) -> None:
    other = with_acceptance({"image": "registry.example.com/python:3.13"})
    assert job(run)["metadata"]["name"] != job(other)["metadata"]["name"]


def test_a_preview_doesnt_claim_what_only_a_run_can_know() -> None:
    previewed = with_acceptance({"required": True}, preview=True)
    assert previewed.one("east-acceptance-run")
