"""A database over both clusters comes by a block in Pulumi.yaml, and one `up` of each."""

import json
from functools import partial
from pathlib import Path

import pytest

from lab import probe
from tests.whole import etcd, lab_command, own_workload, stretched
from tests.whole.figures import keep, until
from tests.whole.names import BOTH_WAYS, zone

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


def test_a_database_comes_by_a_block_and_one_up_of_each_cluster(clone: Path) -> None:
    stretched.add(clone, etcd.SETTINGS)
    stretched.add(clone, own_workload.settings())
    for stack in stretched.CLUSTERS:
        assert lab_command.run("up", stack, clone=clone, seconds=400).returncode == 0
    # Its Job waits for up to five minutes between two tries.
    waited = until(partial(stretched.verified, etcd.WORKLOAD), 400, pause=1)
    keep(f"{etcd.WORKLOAD} is whole after the up of its last cluster, at most", waited)


def test_every_member_has_a_volume_of_the_lab() -> None:
    assert stretched.volumes(etcd.WORKLOAD) == {
        f"east data-{etcd.WORKLOAD}-0": "local-path",
        f"east data-{etcd.WORKLOAD}-1": "local-path",
        f"west data-{etcd.WORKLOAD}-0": "local-path",
    }


@pytest.mark.parametrize("stack", stretched.CLUSTERS)
def test_a_preview_with_a_database_shows_no_change(stack: str, clone: Path) -> None:
    preview = lab_command.run("preview", stack, "--expect-no-changes", clone=clone)
    assert preview.returncode == 0


@pytest.mark.parametrize(("asking", "asked"), BOTH_WAYS)
def test_the_pages_workload_of_ten_lines_finds_its_members_of_both_clusters(
    asking: str, asked: str
) -> None:
    notes = own_workload.WORKLOAD
    east, west = (f"{notes}.{notes}.{zone(cluster)}" for cluster in stretched.CLUSTERS)
    members = [f"{notes}-0.{east}", f"{notes}-0.{west}", f"{notes}-1.{east}"]
    url = f"http://{notes}-0.{notes}.{notes}.{zone(asked)}:8080/members"

    def known() -> bool:
        said = probe.run(asking, "curl", "--silent", "--max-time", "15", url)
        return bool(json.loads(said) == members)

    until(known, 120, pause=1)
