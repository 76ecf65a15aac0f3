"""The page about workloads keeps its word: what it tells to write is taken, and is short."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from mesh.topology import problems
from mesh.workloads import manifests, workloads_in
from tests.mesh.workloads.written import mesh

PAGE = Path(__file__).parents[3] / "docs/how-to/run-a-database-across-clusters.md"


def blocks() -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return [part.partition("```")[0] for part in text.split("```yaml\n")[1:]]


def written(block: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(block)
    config = content.get("config", {"workloads": {"value": content}})
    workloads: dict[str, Any] = config["workloads"]["value"]
    return workloads


@pytest.mark.parametrize("block", blocks())
def test_every_block_can_be_written_as_it_stands(block: str) -> None:
    topology = mesh(written(block))
    assert problems(topology) == ()
    [found] = workloads_in(topology, "east")
    assert [one["kind"] for one in manifests(found, found.site("east"), 1)]


def test_a_workload_of_ones_own_takes_ten_lines() -> None:
    [own] = [block for block in blocks() if "kind: custom" in block]
    assert len(own.splitlines()) <= 10
