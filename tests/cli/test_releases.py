from cli.repair.releases import RELEASE, Revision, leftover_revisions
from cli.state import State
from tests.cli.states import resource


def revision(number: int, status: str, release: str = "cilium") -> Revision:
    namespace = "kube-system" if release == "cilium" else "metallb-system"
    secret = f"sh.helm.release.v1.{release}.v{number}"
    return Revision(secret, namespace, release, number, status)


KNOWN = State(
    resources=(resource(RELEASE, "r", outputs={"namespace": "kube-system", "name": "cilium"}),)
)


def leftover(*found: Revision, state: State = KNOWN) -> list[int]:
    return [one.number for one in leftover_revisions(found, state)]


def test_an_upgrade_that_never_ended_loses_its_revision_only() -> None:
    assert leftover(revision(1, "deployed"), revision(2, "pending-upgrade")) == [2]


def test_the_newest_is_found_by_number_and_not_by_name() -> None:
    many = [revision(number, "superseded") for number in range(1, 10)]
    assert leftover(revision(10, "pending-rollback"), *many) == [10]


def test_a_known_release_at_rest_is_left_alone() -> None:
    assert leftover(revision(1, "superseded"), revision(2, "deployed")) == []


def test_an_installation_cut_short_is_forgotten() -> None:
    assert leftover(revision(1, "pending-install"), state=State()) == [1]


def test_a_release_the_state_does_not_know_is_forgotten_whole() -> None:
    found = revision(1, "superseded"), revision(2, "deployed")
    assert leftover(*found, state=State()) == [2, 1]


def test_other_releases_are_nobodys_business() -> None:
    assert leftover(revision(1, "pending-install", "prometheus"), state=State()) == []
