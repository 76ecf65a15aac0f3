"""Two databases over both clusters come by a block in Pulumi.yaml each, and one `up` of each."""

from functools import partial
from pathlib import Path

import pytest

from tests.whole import etcd, galera, lab_command, stretched
from tests.whole.figures import keep, until

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


def test_databases_come_by_a_block_each_and_one_up_of_each_cluster(clone: Path) -> None:
    for settings in (etcd.SETTINGS, galera.SETTINGS):
        stretched.add(clone, settings)
    for stack in stretched.CLUSTERS:
        assert lab_command.run("up", stack, clone=clone, seconds=400).returncode == 0
    for workload in (etcd.WORKLOAD, galera.WORKLOAD):
        waited = until(partial(stretched.verified, workload), 300, pause=1)
        keep(f"{workload} is whole after the up of its last cluster, at most", waited)


@pytest.mark.parametrize("workload", [etcd.WORKLOAD, galera.WORKLOAD])
def test_every_member_has_a_volume_of_the_lab(workload: str) -> None:
    assert stretched.volumes(workload) == {
        f"east data-{workload}-0": "local-path",
        f"east data-{workload}-1": "local-path",
        f"west data-{workload}-0": "local-path",
    }


@pytest.mark.parametrize("stack", stretched.CLUSTERS)
def test_a_preview_with_databases_shows_no_change(stack: str, clone: Path) -> None:
    preview = lab_command.run("preview", stack, "--expect-no-changes", clone=clone)
    assert preview.returncode == 0
