"""Meshes of 1 to 40 clusters: a right one is taken, and every single mistake in one is found."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mesh.topology import notices, problems
from tests.mesh.topology import generated
from tests.mesh.topology.faults import FAULTS, Fault, break_one
from tests.mesh.topology.generated import Shape

SHAPES = st.builds(
    Shape,
    clusters=st.integers(1, 40),
    in_one_network=st.integers(1, 40),
    workers=st.integers(0, 4),
    one_service_range=st.booleans(),
    all_named=st.booleans(),
    by_bgp=st.booleans(),
    older=st.integers(0, 3),
)
UNHURRIED = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@UNHURRIED
@given(SHAPES, st.randoms(use_true_random=False))
def test_a_right_mesh_is_taken_in_any_order(shape: Shape, random: Random) -> None:
    configs = [*generated.configs(shape).items()]
    random.shuffle(configs)
    mesh = generated.topology(dict(configs))
    assert problems(mesh) == ()
    assert not any("peers" in notice for notice in notices(mesh))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=[*FAULTS])
@settings(UNHURRIED, max_examples=8)
@given(SHAPES, st.data())
def test_a_single_mistake_is_found_with_its_file_and_key(
    fault: Fault, shape: Shape, data: st.DataObject
) -> None:
    # One network and no BGP: an address of another cluster is then right by itself.
    fewest = 1 if fault.alone else 2
    clusters = max(fewest, shape.clusters)
    shape = replace(shape, clusters=clusters, in_one_network=40, by_bgp=False, older=0)
    configs = generated.configs(shape)
    pair = st.lists(st.sampled_from(sorted(configs)), min_size=fewest, max_size=2, unique=True)
    one, *rest = data.draw(pair)
    [other] = rest or [one]
    break_one(fault, configs[one], configs[other])
    own = data.draw(st.none() | st.sampled_from(sorted(configs)))
    found = problems(generated.topology(configs, own))
    files = {f"Pulumi.{stack}.yaml" for stack in (one, other)} | {"Pulumi.yaml"}
    files |= {f"Pulumi.yaml or {file}" for file in files}
    # Of two addresses that clash either may be the mistake, and a line has the keys of both.
    named = [problem for problem in found if fault.key in str(problem)]
    named = [problem for problem in named if fault.shared or problem.file in files]
    assert named, [str(problem) for problem in found]
    if not (fault.alone or fault.shared):
        assert any({one, other} <= {*_stacks(str(problem))} for problem in named)


def _stacks(line: str) -> list[str]:
    words = line.replace("Pulumi.", " ").replace(".yaml", " ").replace(",", " ").split()
    return [word.rstrip(":") for word in words]
