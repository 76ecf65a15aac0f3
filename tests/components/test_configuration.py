"""What the configuration refuses, and what it takes from where."""

import json

import pulumi
import pytest

from tests.mocks import NAME, config_of, run_program


def with_peers(*stacks: str) -> dict[str, str]:
    return config_of("east") | {f"{NAME}:peers": json.dumps(stacks)}


def test_every_other_stack_file_is_a_peer_unless_peers_are_named() -> None:
    assert set(run_program("east").outputs["peers"]) == {"west"}
    assert run_program("east", config=with_peers()).outputs["peers"] == {}


def test_a_cluster_that_peers_with_itself_is_refused() -> None:
    with pytest.raises(pulumi.RunError, match="'east' is no other stack"):
        run_program("east", config=with_peers("east", "west"))


def test_an_authority_without_a_stack_file_is_refused() -> None:
    config = config_of("east")
    mesh = json.loads(config[f"{NAME}:mesh"]) | {"authority": "north"}
    with pytest.raises(pulumi.RunError, match=r"mesh\.authority.*north"):
        run_program("east", config=config | {f"{NAME}:mesh": json.dumps(mesh)})
