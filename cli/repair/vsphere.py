"""What a repair does in vCenter."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cli.repair.action import Action
from cli.repair.machines import (
    Machine,
    Verdict,
    folder_verdict,
    rule_name,
    rule_verdict,
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
    folder, cluster = settings.vsphere.folder, settings.cluster.name
    rule = rule_name(cluster)
    of_rule, of_folder = rule_verdict(rule, state), folder_verdict(folder, state)
    if of_rule:
        _add_rule(vcenter, findings, settings.vsphere.cluster, rule, of_rule)
    found = unknown_machines(vcenter.machines(folder), state, cluster)
    deleted = list(_machine_actions(vcenter, findings, found))
    if of_folder:
        _add_folder(vcenter, findings, folder, deleted, of_folder)
    return findings


def _add_rule(
    vcenter: VCenter, findings: VsphereFindings, compute: str, rule: str, verdict: Verdict
) -> None:
    if not vcenter.has_rule(compute, rule):
        return
    if verdict is not Verdict.DELETE:
        findings.notes.append(f"rule {rule} of {compute} is left as it is: {verdict.value}")
        return
    line = f"remove the rule {rule} of {compute}: {verdict.value}"
    findings.actions.append(Action(line, lambda: vcenter.remove_rule(compute, rule)))


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
    vcenter: VCenter,
    findings: VsphereFindings,
    folder: str,
    deleted: list[Machine],
    verdict: Verdict,
) -> None:
    members = vcenter.folder_members(folder)
    if members is None:
        return
    if verdict is not Verdict.DELETE:
        findings.notes.append(f"folder {folder} is left as it is: {verdict.value}")
        return
    if members - {machine.moid for machine in deleted}:
        findings.notes.append(
            f"folder {folder} is left as it is: {verdict.value}, but it isn't empty"
        )
        return
    line = f"delete the empty folder {folder}: {verdict.value}"
    findings.actions.append(Action(line, lambda: vcenter.destroy_folder(folder)))


def _power(machine: Machine) -> str:
    return "on" if machine.powered_on else "off"
