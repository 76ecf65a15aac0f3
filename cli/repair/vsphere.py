"""What a repair does in vCenter."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cli.repair.action import Action
from cli.repair.machines import (
    Machine,
    Verdict,
    is_unknown_folder,
    is_unknown_rule,
    rule_name,
    unknown_machines,
)
from cli.state import State
from cli.vcenter import VCenter
from mesh.settings import Settings


@dataclass
class VsphereFindings:
    """What is done, what is only told, and whether vCenter still makes something of ours."""

    actions: list[Action] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unfinished: bool = False


def look(vcenter: VCenter, settings: Settings, state: State) -> VsphereFindings:
    """Compare the stack's own folder and rule with what its state knows."""
    findings = VsphereFindings()
    folder, compute = settings.vsphere.folder, settings.vsphere.cluster
    rule = rule_name(settings.cluster.name)
    if is_unknown_rule(state) and vcenter.has_rule(compute, rule):
        line = f"remove the rule {rule} of {compute}: the state doesn't know it"
        findings.actions.append(Action(line, lambda: vcenter.remove_rule(compute, rule)))
    found = unknown_machines(vcenter.machines(folder), state, settings.cluster.name)
    deleted = list(_machine_actions(vcenter, findings, found))
    if is_unknown_folder(state):
        _add_folder(vcenter, findings, folder, deleted)
    return findings


def _machine_actions(
    vcenter: VCenter, findings: VsphereFindings, found: Iterator[tuple[Machine, Verdict]]
) -> Iterator[Machine]:
    for machine, verdict in found:
        what = f"virtual machine {machine.name} ({machine.moid}, {_power(machine)})"
        if verdict is Verdict.DELETE:
            findings.actions.append(_deletion(vcenter, machine, f"delete {what}: {verdict.value}"))
            yield machine
            continue
        findings.notes.append(f"{what} is left as it is: {verdict.value}")
        findings.unfinished |= verdict is Verdict.WAIT


def _deletion(vcenter: VCenter, machine: Machine, line: str) -> Action:
    return Action(line, lambda: vcenter.destroy_machine(machine))


def _add_folder(
    vcenter: VCenter, findings: VsphereFindings, folder: str, deleted: list[Machine]
) -> None:
    members = vcenter.folder_members(folder)
    if members is None:
        return
    if members - {machine.moid for machine in deleted}:
        findings.notes.append(
            f"folder {folder} is left as it is: the state doesn't know it, and it isn't empty"
        )
        return
    line = f"delete the empty folder {folder}: the state doesn't know it"
    findings.actions.append(Action(line, lambda: vcenter.destroy_folder(folder)))


def _power(machine: Machine) -> str:
    return "on" if machine.powered_on else "off"
