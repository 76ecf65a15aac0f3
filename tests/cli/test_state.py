import json
from typing import Any

from cli.repair.access import kubeconfig_of
from cli.repair.pending import explained, needs_refresh, without_pending
from cli.state import Operation, State, plain, state_of
from mesh.pki import admin_certificate, cluster_secrets
from mesh.settings import LifetimesSettings
from tests.cli.states import resource

SIGNATURE = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
URN = "urn:pulumi:east::vsphere-cluster-mesh::kubernetes:core/v1:Service::east-dns"
PENDING = {"type": "creating", "resource": {"urn": URN, "type": "kubernetes:core/v1:Service"}}


def test_secrets_of_an_export_are_unwrapped_at_any_depth() -> None:
    inner = {**SIGNATURE, "plaintext": json.dumps("word")}
    outer = {**SIGNATURE, "plaintext": json.dumps({"key": [inner]})}
    assert plain({"a": outer, "b": [1]}) == {"a": {"key": ["word"]}, "b": [1]}


def test_a_stack_that_was_never_brought_up_has_an_empty_state() -> None:
    exports: list[dict[str, Any]] = [{}, {"deployment": None}, {"deployment": {"manifest": {}}}]
    for export in exports:
        assert state_of(export) == State()


def test_pending_operations_are_seen_by_kind_and_type() -> None:
    state = state_of({"deployment": {"pending_operations": [PENDING]}})
    [found] = state.being_created("kubernetes:")
    assert (found.name, found.inputs) == ("east-dns", {})
    assert list(state.being_created("vsphere:")) == []


def test_pending_operations_are_forgotten_and_nothing_else_changes() -> None:
    export: dict[str, Any] = {
        "version": 3,
        "deployment": {"resources": [1], "pending_operations": [PENDING]},
    }
    left = without_pending(export)
    assert left == {"version": 3, "deployment": {"resources": [1], "pending_operations": []}}
    assert export["deployment"]["pending_operations"] == [PENDING]


def test_what_was_being_changed_asks_for_a_refresh_and_what_was_created_does_not() -> None:
    creating, updating = (Operation(kind, resource("k", "n")) for kind in ("creating", "updating"))
    assert not needs_refresh(creating)
    assert needs_refresh(updating)
    assert explained(creating) == "creating k n: forgotten, and done again by the next up"
    assert "looked at again" in explained(Operation("reading", resource("k", "n")))


def test_a_resource_shows_no_values() -> None:
    shown = repr(resource("k", "n", inputs={"a": "hush"}, outputs={"b": "hush"}))
    assert "hush" not in shown


def test_an_exported_kubeconfig_is_taken_as_it_is() -> None:
    stack = resource("pulumi:pulumi:Stack", "east", outputs={"kubeconfig": "text"})
    assert kubeconfig_of(State(resources=(stack,)), "east", "https://x") == "text"


def test_the_kept_keys_make_a_kubeconfig_when_nothing_was_exported() -> None:
    secrets = cluster_secrets("east", LifetimesSettings())
    admins = [admin_certificate(secrets.cluster_ca, 1).as_mapping() for _ in range(2)]
    stash = "pulumi:index:Stash"
    state = State(
        resources=(
            resource(stash, "east-secrets", outputs={"output": secrets.as_mapping()}),
            resource(stash, "east-admin-9", outputs={"output": admins[0]}),
            resource(stash, "east-admin-10", outputs={"output": admins[1]}),
        )
    )
    text = kubeconfig_of(state, "east", "https://10.11.85.11:6443") or ""
    assert "https://10.11.85.11:6443" in text
    both = [state.resources[0], state.resources[2]]
    assert kubeconfig_of(State(resources=tuple(both)), "east", "https://10.11.85.11:6443") == text


def test_without_keys_there_is_no_way_in() -> None:
    assert kubeconfig_of(State(), "east", "https://x") is None
