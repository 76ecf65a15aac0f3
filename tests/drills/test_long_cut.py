"""The link between the sites is away for ten minutes: names are answered, and all comes back."""

import time
from collections.abc import Iterator

import pytest

from lab import kubectl, probe
from lab.link import Link
from tests.whole import lab_command
from tests.whole.figures import until
from tests.whole.names import BOTH_WAYS, all_fresh, broken_link, found, pod_name

pytestmark = [pytest.mark.drill, pytest.mark.timeout(3000)]

CUT_SECONDS = 600
# What a resolver waits for one answer.
PATIENCE = 5
# Until both CoreDNS pods know that the peer is away, each by a question of its own.
NOTICED_SECONDS = 35
# Each of two CoreDNS pods remembers what it was asked for itself.
OFTEN = 15


@pytest.fixture
def mesh() -> Iterator[None]:
    """Both clusters, taken down afterwards."""
    lab_command.run("down")
    assert lab_command.run("up", seconds=5000).returncode == 0
    yield
    lab_command.run("down")


@pytest.mark.usefixtures("mesh")
def test_a_link_that_is_away_for_ten_minutes_costs_no_name_and_heals_by_itself() -> None:
    for asking, asked in BOTH_WAYS * OFTEN:
        found(asking, pod_name(asked))
    known = {asking: found(asking, pod_name(asked)) for asking, asked in BOTH_WAYS}
    longest, asked_for = 0.0, 0
    with broken_link(Link.CUT):
        begins = time.monotonic()
        ends = begins + CUT_SECONDS
        while time.monotonic() < ends:
            for asking, asked in BOTH_WAYS:
                began = time.monotonic()
                assert found(asking, pod_name(asked)) == known[asking] is not None
                if began - begins > NOTICED_SECONDS:
                    longest = max(longest, time.monotonic() - began)
                asked_for += 1
            time.sleep(10)
        for cluster in ("east", "west"):
            kubectl.run(cluster, "delete", "pod", probe.POD, f"--namespace={probe.NAMESPACE}")
    assert longest < PATIENCE
    recovered = until(all_fresh, 300, pause=1)
    assert lab_command.run("status", seconds=300).returncode == 0
    print(
        f"{asked_for} names were answered in {longest:.1f} s at most while the link was away for "
        f"{CUT_SECONDS} s; what had changed meanwhile was found and reached after {recovered:.0f} s"
    )
