"""What changed between two sets of inputs, in the engine's words."""

from pulumi.runtime.proto import provider_pb2 as messages

from lab.vsphere_stand_in.resource_kind import ResourceKind, Values, changed


def difference(
    kind: ResourceKind, old: Values, new: Values, outputs: Values
) -> messages.DiffResponse:
    """Which properties differ, and which of them need a new resource.

    A resource with a name of the user's is deleted before its replacement takes that name.
    """
    drifted = [name for name, wanted in kind.kept.items() if outputs.get(name, wanted) != wanted]
    names = changed(old, new) + drifted
    replaces = [name for name in names if name in kind.replaced_by]
    response = messages.DiffResponse(
        changes=messages.DiffResponse.DIFF_SOME if names else messages.DiffResponse.DIFF_NONE,
        diffs=names,
        replaces=replaces,
        deleteBeforeReplace=bool(replaces) and "name" in new,
        hasDetailedDiff=True,
    )
    for name in names:
        response.detailedDiff[name].kind = _kind(
            added=name not in old and name in new,
            deleted=name in old and name not in new,
            replaced=name in replaces,
        )
        response.detailedDiff[name].inputDiff = name not in drifted
    return response


def _kind(*, added: bool, deleted: bool, replaced: bool) -> messages.PropertyDiff.Kind.ValueType:
    kinds = messages.PropertyDiff
    if added:
        return kinds.ADD_REPLACE if replaced else kinds.ADD
    if deleted:
        return kinds.DELETE_REPLACE if replaced else kinds.DELETE
    return kinds.UPDATE_REPLACE if replaced else kinds.UPDATE
