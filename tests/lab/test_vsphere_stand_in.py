import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi import automation as auto

from lab.vcenter import VCenter
from lab.vsphere_api import vim
from lab.vsphere_stand_in import write_plugin
from lab.vsphere_stand_in.__main__ import NOTICE
from tests.lab.stand_in_program import NAMES, STATUS, Wishes, program

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


class Engine:
    """A stack of the small program; every operation says what it wishes."""

    def __init__(self, server: str, pulumi_root: Path, directory: Path) -> None:
        self.server = server
        self.wishes = Wishes(server)
        self.state = directory / "state"
        for name in ("bin", "state", "work"):
            (directory / name).mkdir()
        write_plugin(directory / "bin")
        environment = {
            "PATH": f"{directory / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_HOME": str(directory / "home"),
            "PULUMI_BACKEND_URL": f"file://{self.state}",
            "PULUMI_CONFIG_PASSPHRASE": "a passphrase",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "NO_COLOR": "1",
        }
        self.stack = auto.create_or_select_stack(
            "east",
            "stand-in",
            lambda: program(self.wishes),
            opts=auto.LocalWorkspaceOptions(
                work_dir=str(directory / "work"),
                env_vars=environment,
                pulumi_command=auto.PulumiCommand(str(pulumi_root)),
            ),
        )

    def up(self, **wishes: object) -> auto.UpResult:
        self.wishes = Wishes(self.server, **wishes)  # type: ignore[arg-type]
        return self.stack.up()


@pytest.fixture(scope="module")
def engine(
    simulator: str, pulumi_root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    engine = Engine(simulator, pulumi_root, tmp_path_factory.mktemp("engine"))
    engine.up()
    yield engine
    engine.stack.destroy()


def changes(result: auto.UpResult) -> dict[str, int]:
    return {str(op): count for op, count in (result.summary.resource_changes or {}).items()}


def test_the_machines_stand_in_their_folder_powered_on_with_their_user_data(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    machines = vcenter.virtual_machines()
    assert [machine.name for machine in machines] == list(NAMES)
    assert {machine.folder for machine in machines} == {"mesh/east"}
    assert all(machine.powered_on for machine in machines)
    assert {m.extra_config["guestinfo.userdata"] for m in machines} == {"top-secret"}
    assert engine.stack.outputs()["power"].value == "on"


def test_a_second_preview_shows_no_changes_also_after_a_refresh(engine: Engine) -> None:
    engine.up()
    engine.stack.preview(expect_no_changes=True)
    engine.stack.refresh(expect_no_changes=True)
    engine.stack.preview(expect_no_changes=True)


def test_the_plugin_says_that_it_is_a_stand_in(engine: Engine) -> None:
    assert NOTICE in engine.stack.preview().stdout


def test_more_processors_change_the_machines_in_place(engine: Engine, vcenter: VCenter) -> None:
    engine.up()
    before = {machine.uuid for machine in vcenter.virtual_machines()}
    assert changes(engine.up(cpus=8))["update"] == len(NAMES)
    after = vcenter.virtual_machines()
    assert {machine.uuid for machine in after} == before
    assert all(machine.powered_on for machine in after)


def test_a_new_generation_replaces_the_machines_and_their_rule(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    before = {machine.uuid for machine in vcenter.virtual_machines()}
    assert changes(engine.up(generation="b"))["replace"] == len(NAMES) + 1
    after = {machine.uuid for machine in vcenter.virtual_machines()}
    assert len(after) == len(NAMES)
    assert not after & before
    engine.stack.preview(expect_no_changes=True)


def test_a_hook_of_another_resource_reads_what_a_node_wrote(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    vcenter.set_extra_config(vcenter.virtual_machines()[0].moid, {STATUS: "waiting"})
    engine.up(asks_in_hook=True)
    status, failure = engine.wishes.heard
    assert status == {STATUS: "waiting"}
    assert "no virtual machine has the uuid 'no-such-uuid'" in str(failure)
    vcenter.set_extra_config(vcenter.virtual_machines()[0].moid, {STATUS: ""})


def test_a_key_that_a_node_wrote_is_no_change_of_the_program(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    moid = vcenter.virtual_machines()[0].moid
    vcenter.set_extra_config(moid, {STATUS: "done"})
    engine.stack.refresh(expect_no_changes=True)


def test_user_data_and_password_stay_secret_in_the_state(engine: Engine) -> None:
    engine.up()
    # An export by the Automation API would decrypt them.
    files = [path for path in engine.state.rglob("*") if path.is_file()]
    assert any(path.name == "east.json" for path in files)
    for path in files:
        assert "top-secret" not in path.read_text()
        assert "vcenter-password" not in path.read_text()


def test_a_wrong_input_name_is_refused_before_anything_changes(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    before = vcenter.virtual_machines()
    engine.wishes = Wishes(engine.server, generation="c", wrong={"templateUid": "x"}, ignored=())
    with pytest.raises(auto.CommandError, match=r"clone\.templateUid.* is not an input"):
        engine.stack.up()
    assert vcenter.virtual_machines() == before


def test_a_vcenter_that_does_not_answer_is_named(engine: Engine) -> None:
    engine.wishes = Wishes("127.0.0.1:1")
    with pytest.raises(auto.CommandError, match=r"no answer from vCenter 127\.0\.0\.1 port 1"):
        engine.stack.preview()


def test_a_machine_powered_off_by_hand_is_powered_on_again(
    engine: Engine, vcenter: VCenter
) -> None:
    engine.up()
    machine = vcenter.reference(vim.VirtualMachine, vcenter.virtual_machines()[0].moid)
    vcenter.wait(lambda: machine.PowerOffVM_Task())
    engine.stack.refresh()
    assert changes(engine.up())["update"] == 1
    assert all(machine.powered_on for machine in vcenter.virtual_machines())


def test_a_machine_destroyed_by_hand_is_made_again(engine: Engine, vcenter: VCenter) -> None:
    engine.up()
    machine = vcenter.reference(vim.VirtualMachine, vcenter.virtual_machines()[0].moid)
    vcenter.wait(lambda: machine.PowerOffVM_Task())
    vcenter.wait(lambda: machine.Destroy_Task())
    engine.stack.refresh()
    engine.up()
    assert [machine.name for machine in vcenter.virtual_machines()] == list(NAMES)


def test_destroy_leaves_only_what_was_there_before(engine: Engine, vcenter: VCenter) -> None:
    engine.up()
    engine.stack.destroy()
    assert vcenter.virtual_machines() == []
    assert changes(engine.up())["create"] > len(NAMES)
