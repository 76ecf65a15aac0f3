"""The link between the sites is away for ten minutes: names are answered, and all comes back."""

import time
from collections.abc import Iterator

import pytest

from lab import kubectl, probe
from lab.link import Link
from tests.whole import lab_command
from tests.whole.answers import PATIENCE, asked_over_a_cut, known_everywhere
from tests.whole.figures import until
from tests.whole.names import all_fresh, broken_link

pytestmark = [pytest.mark.drill, pytest.mark.timeout(3000)]

CUT_SECONDS = 600


@pytest.fixture
def mesh() -> Iterator[None]:
    """Both clusters, taken down afterwards."""
    lab_command.run("down")
    assert lab_command.run("up", seconds=5000).returncode == 0
    yield
    lab_command.run("down")


@pytest.mark.usefixtures("mesh")
def test_a_link_that_is_away_for_ten_minutes_costs_no_name_and_heals_by_itself() -> None:
    known = known_everywhere()
    with broken_link(Link.CUT):
        first, answers = asked_over_a_cut(time.monotonic() + CUT_SECONDS, pause=5)
        for cluster in ("east", "west"):
            kubectl.run(cluster, "delete", "pod", probe.POD, f"--namespace={probe.NAMESPACE}")
    for answer in [*first, *answers]:
        assert answer.address == known[answer.asking] is not None
    longest = max(answer.took for answer in answers)
    assert longest < PATIENCE
    recovered = until(all_fresh, 300, pause=1)
    assert lab_command.run("status", seconds=300).returncode == 0
    print(
        f"{len(answers)} questions were answered in {longest:.1f} s at most in a cut of "
        f"{CUT_SECONDS} s; what had changed meanwhile was found and reached after {recovered:.0f} s"
    )
