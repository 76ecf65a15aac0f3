"""East and west on the real engine, with everything of the program that needs no plugin."""

import base64
import json
from typing import Any

import pulumi
import pytest
import yaml
from pulumi import automation

from components.authority import proposed_ca
from components.configuration import load
from components.expiry import admin_generation_now
from components.identity import Identity, IdentityArgs
from components.mesh_ca import MeshCa, MeshCaArgs
from components.peers import known_peers, last_exports
from mesh.endpoint import planned_endpoint
from tests.engine.conftest import Engine

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]


def program() -> None:
    """The program without machines and clusters: what is left needs no plugin."""
    pulumi.run(stacks_only)


async def stacks_only() -> dict[str, Any]:
    configuration = load()
    settings = configuration.settings
    last = await last_exports(settings.mesh.authority, configuration.peers)
    authority = settings.mesh.authority
    ca = MeshCa("ca", MeshCaArgs(proposed=proposed_ca(authority, last, 10), authority=authority))
    generation = admin_generation_now(last, 365)
    arguments = IdentityArgs(
        cluster=settings.cluster.name,
        server="https://10.11.85.11:6443",
        lifetimes=settings.lifetimes,
        admin_generation=generation,
    )
    identity = Identity("identity", arguments)
    peers = known_peers(configuration.peers, last)
    return {
        "endpoint": planned_endpoint(settings).as_output(),
        "meshCa": ca.key_pair,
        "kubeconfig": identity.kubeconfig,
        "secrets": identity.secrets,
        "peers": {peer.stack: {"status": peer.status, "next": peer.next_command} for peer in peers},
    }


def both(engine: Engine) -> tuple[automation.Stack, automation.Stack]:
    return engine.stack("east", program), engine.stack("west", program)


def peers_of(stack: automation.Stack) -> Any:
    return stack.outputs()["peers"].value


def test_two_clusters_converge_and_then_nothing_changes(engine: Engine) -> None:
    east, west = both(engine)

    east.up()
    assert peers_of(east) == {"west": {"status": "planned", "next": "pulumi up -s west"}}
    west.up()
    assert peers_of(west) == {"east": {"status": "exported", "next": ""}}
    assert west.outputs()["meshCa"].value == east.outputs()["meshCa"].value
    assert west.outputs()["meshCa"].secret
    east.up()
    assert peers_of(east) == {"west": {"status": "exported", "next": ""}}

    # The reference to the own stack sees other outputs than last time; that is no change.
    for stack in (east, west):
        before = stack.outputs()["kubeconfig"].value
        stack.preview(expect_no_changes=True)
        stack.up(expect_no_changes=True)
        assert stack.outputs()["kubeconfig"].value == before


def test_a_cluster_before_its_authority_leaves_nothing_but_references(engine: Engine) -> None:
    _, west = both(engine)
    for attempt in (west.preview, west.up):  # `up` of the Automation API skips the preview
        with pytest.raises(automation.CommandError) as failed:
            attempt()
        assert "Run first: pulumi up -s east" in str(failed.value)
        assert "Traceback" not in str(failed.value)
    kinds = engine.resource_types("west")
    assert kinds <= {
        "pulumi:pulumi:Stack",
        "pulumi:pulumi:StackReference",
        "pulumi:providers:pulumi",
    }


def test_a_peer_that_was_never_initialised_is_unknown(engine: Engine) -> None:
    east = engine.stack("east", program)
    with pytest.raises(automation.CommandError, match="unknown stack"):
        east.preview()


def test_wrong_settings_are_all_said_without_a_traceback(engine: Engine) -> None:
    east, _ = both(engine)
    file = engine.project / "Pulumi.east.yaml"
    settings = yaml.safe_load(file.read_text())
    settings["config"]["vsphere-cluster-mesh:network"]["podCidr"] = "10.1/8"
    settings["config"]["vsphere-cluster-mesh:clutser"] = {}
    file.write_text(yaml.safe_dump(settings))
    with pytest.raises(automation.CommandError) as failed:
        east.up()
    assert "podCidr" in str(failed.value)
    assert "clutser" in str(failed.value)
    assert "Traceback" not in str(failed.value)
    assert engine.resource_types("east") <= {"pulumi:pulumi:Stack"}


def test_no_secret_lies_readable_in_any_state(engine: Engine) -> None:
    east, west = both(engine)
    east.up()
    west.up()
    east.up()
    for stack in (east, west):
        outputs = stack.outputs()
        secrets = outputs["secrets"].value
        kubeconfig = yaml.safe_load(outputs["kubeconfig"].value)
        values = [
            outputs["meshCa"].value["key"],
            secrets["bootstrapToken"],
            secrets["clusterCa"]["key"],
            secrets["serviceAccount"]["private"],
            kubeconfig["users"][0]["user"]["client-key-data"],
        ]
        for state in (engine.state_text("east"), engine.state_text("west")):
            for value in values:
                assert value not in state
                assert json.dumps(value)[1:-1] not in state
                assert base64.b64encode(value.encode()).decode() not in state
            assert "PRIVATE KEY" not in state
            assert "ciphertext" in state


def test_siblings_are_read_from_the_engines_own_project(engine: Engine) -> None:
    (engine.project / "Pulumi.west.yaml").unlink()
    east = engine.stack("east", program)
    east.up()
    assert peers_of(east) == {}


def fails_before_it_exports() -> None:
    pulumi.run(stacks_without_an_end)


async def stacks_without_an_end() -> dict[str, Any]:
    await stacks_only()
    raise pulumi.RunError("the first up failed")


def test_a_ca_kept_by_an_up_that_failed_must_be_the_authoritys_later(engine: Engine) -> None:
    both(engine)
    east = engine.stack("east", program)
    east.up()
    with pytest.raises(automation.CommandError, match="the first up failed"):
        engine.stack("west", fails_before_it_exports).up()
    assert engine.stack("west", program).up().summary.result == "succeeded"


def test_a_ca_kept_by_an_up_that_failed_is_refused_when_the_authority_has_another(
    engine: Engine,
) -> None:
    both(engine)
    engine.stack("east", program).up()
    with pytest.raises(automation.CommandError, match="the first up failed"):
        engine.stack("west", fails_before_it_exports).up()
    rebuilt = engine.stack("east", program)
    state = rebuilt.export_stack()
    assert state.deployment is not None
    state.deployment = {**state.deployment, "resources": []}
    rebuilt.import_stack(state)
    rebuilt.up()
    west = engine.stack("west", program)
    for attempt in (west.preview, west.up):
        with pytest.raises(automation.CommandError, match="exports another mesh CA") as failed:
            attempt()
        assert "Traceback" not in str(failed.value)


def test_another_passphrase_than_the_authoritys_is_named_as_such(engine: Engine) -> None:
    east, _ = engine.stack("east", program), engine.stack("west", program, "another")
    east.up()
    west = engine.stack("west", program, "another")
    with pytest.raises(automation.CommandError, match="PULUMI_CONFIG_PASSPHRASE"):
        west.up()
