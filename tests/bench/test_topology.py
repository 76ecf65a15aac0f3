"""The measurement itself, on the smallest mesh and the largest."""

import re

import pytest

from bench import topology
from mesh.topology import problems
from tests.mesh.topology import generated


def test_a_row_is_printed_for_each_size_with_the_rival_as_a_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(topology, "CLUSTERS", (2, 3))
    monkeypatch.setattr(topology, "RUNS", 2)
    topology.main()
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[0] for row in rows] == ["| 2", "| 3"]
    assert all(re.fullmatch(r"\| \d \|( [\d.]+ ms \|){4} [\d.]+ \|", row) for row in rows)


def test_a_mesh_as_large_as_cilium_allows_is_right() -> None:
    largest = generated.configs(generated.Shape(clusters=511))
    assert problems(generated.topology(largest)) == ()
