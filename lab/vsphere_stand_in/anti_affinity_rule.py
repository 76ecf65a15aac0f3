"""Rules that keep virtual machines of a cluster on different hosts."""

import pulumi_vsphere

from lab.vcenter import VCenter, VCenterError
from lab.vsphere_api import ManagedObject, vim
from lab.vsphere_stand_in.resource_kind import ResourceKind, Values


def _plan(_vcenter: VCenter, _inputs: Values) -> None:
    """Nothing is refused that the checks of the inputs didn't refuse."""


def _create(vcenter: VCenter, inputs: Values) -> str:
    cluster = vcenter.reference(vim.ClusterComputeResource, inputs["computeClusterId"])
    if any(rule.name == inputs["name"] for rule in _rules(vcenter, cluster)):
        raise VCenterError(f"a rule named {inputs['name']!r} exists already")
    _reconfigure(vcenter, cluster, operation="add", info=_rule(vcenter, inputs))
    made = next(rule for rule in _rules(vcenter, cluster) if rule.name == inputs["name"])
    return f"{inputs['computeClusterId']}:{made.key}"


def _observe(vcenter: VCenter, identity: str, inputs: Values) -> Values | None:
    rule = _find(vcenter, identity)
    if rule is None:
        return None
    machines = vcenter.objects({vim.VirtualMachine: ("config.uuid",)})
    # A machine that was destroyed behind our back may still stand in the rule.
    held = [machines[machine]["config.uuid"] for machine in rule.vm if machine in machines]
    wanted = inputs["virtualMachineIds"]
    # The order of machines has no meaning, so the user's order stays.
    same = sorted(wanted) == sorted(held)
    return {"name": rule.name, "virtualMachineIds": wanted if same else held}


def _update(vcenter: VCenter, identity: str, _old: Values, new: Values) -> None:
    info = _rule(vcenter, new)
    info.key = int(identity.rpartition(":")[2])
    _reconfigure(vcenter, _cluster(vcenter, identity), operation="edit", info=info)


def _delete(vcenter: VCenter, identity: str) -> None:
    if rule := _find(vcenter, identity):
        _reconfigure(vcenter, _cluster(vcenter, identity), operation="remove", removeKey=rule.key)


def _cluster(vcenter: VCenter, identity: str) -> ManagedObject:
    return vcenter.reference(vim.ClusterComputeResource, identity.rpartition(":")[0])


def _find(vcenter: VCenter, identity: str) -> ManagedObject | None:
    key = int(identity.rpartition(":")[2])
    rules = _rules(vcenter, _cluster(vcenter, identity))
    return next((rule for rule in rules if rule.key == key), None)


def _rules(vcenter: VCenter, cluster: ManagedObject) -> list[ManagedObject]:
    path = "configurationEx"
    return list(vcenter.properties(cluster, path)[path].rule)


def _rule(vcenter: VCenter, inputs: Values) -> ManagedObject:
    machines = {uuid: vcenter.machine_by_uuid(uuid) for uuid in inputs["virtualMachineIds"]}
    if missing := sorted(uuid for uuid, machine in machines.items() if machine is None):
        raise VCenterError(f"no virtual machine has the uuid {', '.join(missing)}")
    return vim.cluster.AntiAffinityRuleSpec(
        name=inputs["name"],
        enabled=inputs.get("enabled", True),
        mandatory=inputs.get("mandatory", False),
        vm=list(machines.values()),
    )


def _reconfigure(vcenter: VCenter, cluster: ManagedObject, **rule: object) -> None:
    change = vim.cluster.ConfigSpecEx(rulesSpec=[vim.cluster.RuleSpec(**rule)])
    vcenter.wait(lambda: cluster.ReconfigureComputeResource_Task(spec=change, modify=True))


KIND = ResourceKind(
    arguments=pulumi_vsphere.ComputeClusterVmAntiAffinityRuleArgs,
    replaced_by=frozenset({"computeClusterId"}),
    computed=frozenset(),
    kept={},
    plan=_plan,
    create=_create,
    observe=_observe,
    update=_update,
    delete=_delete,
)
