"""A database over both clusters comes by a block in Pulumi.yaml, and one `up` of each."""

from functools import partial
from pathlib import Path

import pytest

from tests.whole import etcd, lab_command, stretched
from tests.whole.figures import keep, until

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


def test_a_database_comes_by_a_block_and_one_up_of_each_cluster(clone: Path) -> None:
    stretched.add(clone, etcd.SETTINGS)
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
