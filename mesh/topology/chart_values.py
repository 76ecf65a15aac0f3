"""Rules about `cilium.extraValues`: the chart itself passes over in silence what it doesn't know.

Source: the chart's values.schema.json, which has no `additionalProperties: false`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mesh.chart_keys import ChartError, ChartKeys, kept_keys, keys_of_chart
from mesh.chart_keys.keys import UnknownKey
from mesh.settings import Problem, Settings, either_file, file_of
from mesh.topology.removed_values import REMOVED
from mesh.topology.topology import Topology, problem
from mesh.versions import CORE_DNS, minor, numbers

_KEY = "cilium.extraValues"
_FIRST_WITH_MULTICLUSTER = "1.12.2"
_ABSENT: Any = ()
"""What stands where nothing is written; as good as false."""


def extra_values_were_not_removed(topology: Topology) -> Iterator[Problem]:
    """A value that Cilium's chart had once does nothing any more.

    Source: `mesh/topology/removed_values.py`.
    """
    for stack, settings in _with_extra_values(topology):
        for key, instead in _removed(settings):
            reason = f"is not in Cilium {minor(settings.versions.cilium)} any more"
            yield problem(stack, f"{_KEY}.{key}", None, reason, instead)


def extra_values_are_known_to_the_chart(topology: Topology) -> Iterator[Problem]:
    """A misspelt value is found by the chart's own values.

    A chart at a path is read. Of any other the keys kept for its minor are taken, which a later
    patch may have added to; `values_not_compared` speaks of those.
    """
    for stack, settings in _with_extra_values(topology):
        try:
            keys = _keys(topology, settings)
        except ChartError as error:
            chart, instead = settings.charts.cilium.chart, "write the path of a chart or its .tgz"
            reason = f"is no chart that can be read ({error})"
            yield Problem(
                either_file(file_of(stack)), "charts.cilium.chart", chart, reason, instead
            )
            continue
        if keys and not _is_later(settings, keys):
            for unknown in _unknown(settings, keys):
                instead = "take it out, Helm passes it over in silence"
                if unknown.nearest:
                    instead = f"did you mean {unknown.nearest}?"
                reason = f"is no value of the Cilium chart {keys.version}"
                yield problem(stack, f"{_KEY}.{unknown.key}", None, reason, instead)


def core_dns_knows_multicluster_services(topology: Topology) -> Iterator[Problem]:
    """MCS needs a CoreDNS with `multicluster`, and a Cilium that keeps its exports.

    Source: CoreDNS 1.12.2's release notes; cilium#47793 (fixed after 1.20.0). The Corefile is this
    program's own, so no Job of the chart may edit it.
    """
    for stack, settings in _with_extra_values(topology):
        mcs = _at(settings.cilium.extra_values, "clustermesh.mcsapi")
        for key, reason, instead in _unfit_for_multicluster_services(settings, mcs):
            yield problem(stack, f"{_KEY}.clustermesh.mcsapi.{key}", None, reason, instead)


def values_not_compared(topology: Topology) -> Iterator[str]:
    """A sentence for each cluster whose extra values could not all be compared with its chart's."""
    for stack, settings in _with_extra_values(topology):
        try:
            keys = _keys(topology, settings)
        except ChartError:
            continue
        chart = f"the Cilium chart {settings.versions.cilium}"
        if keys is None:
            reason = f"are not compared with {chart}, whose keys aren't known here"
            yield f"{file_of(stack)}: {_KEY}: {reason}"
        elif _is_later(settings, keys):
            for unknown in _unknown(settings, keys):
                yield (
                    f"{file_of(stack)}: {_KEY}.{unknown.key}: is no value of the Cilium chart "
                    f"{keys.version}, the latest known here: look whether {chart} has it"
                )


def _unfit_for_multicluster_services(
    settings: Settings, mcs: object
) -> Iterator[tuple[str, str, str]]:
    if _at(mcs, "corednsAutoConfigure.enabled"):
        reason = "edits the Corefile, which is this program's own"
        yield "corednsAutoConfigure.enabled", reason, "take it out"
    if not _at(mcs, "enabled"):
        return
    if settings.versions.cilium == "1.20.0":
        yield "enabled", "loses exported Services in Cilium 1.20.0", "write a later versions.cilium"
    brings = CORE_DNS.get(minor(settings.versions.kubernetes), _FIRST_WITH_MULTICLUSTER)
    if numbers(brings) < numbers(_FIRST_WITH_MULTICLUSTER):
        reason = f"needs CoreDNS {_FIRST_WITH_MULTICLUSTER}, and Kubernetes brings {brings}"
        yield "enabled", reason, "take it out, or write versions.kubernetes 1.35 or later"


def _with_extra_values(topology: Topology) -> Iterator[tuple[str, Settings]]:
    for stack in topology.ordered():
        settings = topology.clusters[stack]
        if settings.cilium.extra_values:
            yield stack, settings


def _keys(topology: Topology, settings: Settings) -> ChartKeys | None:
    """The keys of the chart that is installed; None when they aren't known. Raises ChartError."""
    chart = settings.charts.cilium
    if chart.is_path:
        return keys_of_chart((topology.project / chart.chart).resolve())
    return kept_keys(minor(settings.versions.cilium))


def _is_later(settings: Settings, keys: ChartKeys) -> bool:
    read_itself = settings.charts.cilium.is_path
    return not read_itself and numbers(settings.versions.cilium) > numbers(keys.version)


def _unknown(settings: Settings, keys: ChartKeys) -> Iterator[UnknownKey]:
    """What the chart doesn't know, without what is told to be removed."""
    removed = {key for key, _ in _removed(settings)}
    for unknown in keys.unknown(settings.cilium.extra_values):
        told = (key == unknown.key or key.startswith(f"{unknown.key}.") for key in removed)
        if not any(told):
            yield unknown


def _removed(settings: Settings) -> Iterator[tuple[str, str]]:
    for since, keys in REMOVED.items():
        if numbers(settings.versions.cilium) >= numbers(since):
            for key, instead in keys.items():
                if _at(settings.cilium.extra_values, key) is not _ABSENT:
                    yield key, instead


def _at(values: Any, key: str) -> Any:  # noqa: ANN401 - what a user wrote for the chart
    for part in key.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return _ABSENT
        values = values[part]
    return values
