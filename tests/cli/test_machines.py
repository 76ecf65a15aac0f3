import base64
import gzip

import pytest

from cli.repair.machines import (
    FOLDER,
    MACHINE,
    RULE,
    Machine,
    Verdict,
    folder_verdict,
    instance_id,
    rule_verdict,
    unknown_machines,
)
from cli.state import State
from tests.cli.states import creating, resource

METADATA = "instance-id: east-worker-1-0123456789ab\nlocal-hostname: east-worker-1\n"
GUESTINFO = {
    "guestinfo.metadata": base64.b64encode(gzip.compress(METADATA.encode())).decode(),
    "guestinfo.metadata.encoding": "gzip+base64",
}
WORKER = Machine("vm-1", "east-worker-1", "uuid-1", powered_on=True, guestinfo=GUESTINFO)
CUT_SHORT = creating(resource(MACHINE, "east-worker-1", inputs={"name": "east-worker-1"}))


def verdicts(machine: Machine, state: State = CUT_SHORT) -> list[Verdict]:
    return [verdict for _, verdict in unknown_machines([machine], state, "east")]


def test_a_machine_the_state_knows_is_none_of_ours_to_repair() -> None:
    state = State(resources=(resource(MACHINE, "east-worker-1", identity="uuid-1"),))
    assert verdicts(WORKER, state) == []


def test_a_machine_whose_creation_was_cut_short_is_deleted() -> None:
    assert verdicts(WORKER) == [Verdict.DELETE]


def test_a_clone_without_configuration_is_deleted() -> None:
    bare = Machine("vm-1", "east-worker-1", "uuid-1", powered_on=False)
    assert verdicts(bare) == [Verdict.DELETE]


def test_a_lost_state_costs_no_machine() -> None:
    assert verdicts(WORKER, State()) == [Verdict.KEEP]


def test_a_lost_state_costs_neither_folder_nor_rule() -> None:
    assert folder_verdict("mesh/east", CUT_SHORT) is Verdict.KEEP
    assert rule_verdict("east-nodes-workers-apart", CUT_SHORT) is Verdict.KEEP


def test_a_folder_and_a_rule_go_only_if_the_creation_of_those_very_ones_was_cut_short() -> None:
    state = creating(
        resource(FOLDER, "east-nodes-folder", inputs={"path": "mesh/east"}),
        resource(RULE, "east-nodes-workers-apart", inputs={"name": "east-nodes-workers-apart"}),
    )
    assert folder_verdict("mesh/east", state) is Verdict.DELETE
    assert rule_verdict("east-nodes-workers-apart", state) is Verdict.DELETE
    assert folder_verdict("mesh/west", state) is Verdict.KEEP
    assert rule_verdict("west-nodes-workers-apart", state) is Verdict.KEEP


def test_a_folder_and_a_rule_the_state_knows_are_none_of_ours_to_repair() -> None:
    state = State(resources=(resource(FOLDER, "folder"), resource(RULE, "rule")))
    assert folder_verdict("mesh/east", state) is None
    assert rule_verdict("east-nodes-workers-apart", state) is None


def test_a_machine_that_vcenter_still_makes_is_waited_for() -> None:
    assert verdicts(Machine("vm-1", "east-worker-1", None, powered_on=False)) == [Verdict.WAIT]


@pytest.mark.parametrize(
    "machine",
    [
        Machine("vm-1", "jump-host", "uuid-1", powered_on=False),
        Machine("vm-1", "east-worker-1-copy", "uuid-1", powered_on=True, guestinfo=GUESTINFO),
        Machine("vm-1", "east-worker-2", "uuid-1", powered_on=True, guestinfo=GUESTINFO),
        Machine("vm-1", "east-worker-1", "uuid-1", powered_on=True),
    ],
)
def test_what_the_program_did_not_make_is_left_alone(machine: Machine) -> None:
    assert verdicts(machine) == [Verdict.FOREIGN]


def test_metadata_is_read_in_every_encoding_and_never_fails() -> None:
    identity = "east-worker-1-0123456789ab"
    assert instance_id(GUESTINFO) == identity
    assert instance_id({"guestinfo.metadata": METADATA}) == identity
    text = base64.b64encode(METADATA.encode()).decode()
    encoded = {"guestinfo.metadata": text, "guestinfo.metadata.encoding": "base64"}
    assert instance_id(encoded) == identity
    broken = {"guestinfo.metadata": "###", "guestinfo.metadata.encoding": "gzip+base64"}
    assert instance_id(broken) is None
    assert instance_id({"guestinfo.metadata": "just words"}) is None
    assert instance_id({}) is None


def test_a_machines_guestinfo_stays_out_of_its_repr() -> None:
    assert GUESTINFO["guestinfo.metadata"] not in repr(WORKER)
