"""Extra values of Cilium's chart that would do nothing, or harm."""

from pathlib import Path
from typing import Any

import pytest

from lab.charts import cilium_chart
from lab.overrides import changes
from mesh.topology import Topology, notices
from mesh.topology.removed_values import REMOVED
from tests.mesh.topology.written import lines, settings_of, together

KEY = "Pulumi.east.yaml: cilium.extraValues"
OLD = {"versions.cilium": "1.19.6", "versions.kubernetes": "1.35.0"}
LATER = {"versions.cilium": "1.20.9"}


def nested(key: str, value: object) -> dict[str, Any]:
    first, _, rest = key.partition(".")
    return {first: nested(rest, value) if rest else value}


def said(values: dict[str, Any], **others: Any) -> list[str]:
    others = {key.replace("_", "."): value for key, value in others.items()}
    return lines(together(east={"cilium.extraValues": values, **others}))


def test_a_misspelt_value_is_refused_with_the_nearest() -> None:
    assert said({"hubble": {"rely": {}}}) == [
        f"{KEY}.hubble.rely: is no value of the Cilium chart 1.20.2: did you mean relay?"
    ]
    assert said({"zzzz": 1}) == [
        (
            f"{KEY}.zzzz: is no value of the Cilium chart 1.20.2: "
            "take it out, Helm passes it over in silence"
        )
    ]


def test_the_values_the_lab_writes_are_known() -> None:
    written = [change for change in changes() if change.key.startswith("cilium.extraValues.")]
    assert written
    for change in written:
        key = change.key.removeprefix("cilium.extraValues.")
        chart = {"chart": str(cilium_chart())}
        assert said(nested(key, change.value), charts_cilium=chart) == []


@pytest.mark.parametrize(
    ("key", "instead"), [pair for keys in REMOVED.values() for pair in keys.items()]
)
def test_a_removed_value_is_refused_once_with_what_took_its_place(key: str, instead: str) -> None:
    found = said(nested(key, True))
    assert found == [f"{KEY}.{key}: is not in Cilium 1.20 any more: {instead}"]


def test_a_value_is_taken_by_the_cilium_that_still_has_it() -> None:
    values = {"clustermesh": {"enableMCSAPISupport": True}}
    assert lines(together(east={"cilium.extraValues": values, **OLD})) == []


def test_a_chart_in_the_project_is_compared_by_its_own_values(tmp_path: Path) -> None:
    chart = tmp_path / "charts" / "cilium"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("name: cilium\nversion: 1.20.2-ours\n")
    (chart / "values.yaml").write_text("ours: true\n")
    values = {"cilium.extraValues": {"ours": False, "theirs": 1}}
    east = settings_of("east", {**values, "charts.cilium": {"chart": "./charts/cilium"}})
    assert lines(Topology({"east": east}, project=tmp_path)) == [
        (
            f"{KEY}.theirs: is no value of the Cilium chart 1.20.2-ours: "
            "take it out, Helm passes it over in silence"
        )
    ]


def test_a_chart_that_cannot_be_read_is_refused() -> None:
    [says] = said({"ours": 1}, charts_cilium={"chart": "/nowhere/cilium"})
    assert says.startswith(
        "Pulumi.yaml or Pulumi.east.yaml: charts.cilium.chart: '/nowhere/cilium' is no chart that "
        "can be read"
    )


def test_a_key_that_a_later_patch_may_have_is_a_warning() -> None:
    topology = together(east={"cilium.extraValues": {"l7proxy": False}, **LATER})
    assert lines(topology) == []
    assert notices(topology) == (
        (
            f"{KEY}.l7proxy: is no value of the Cilium chart 1.20.2, the latest known here: "
            "look whether the Cilium chart 1.20.9 has it"
        ),
    )


def test_values_of_an_unknown_chart_are_not_compared_and_that_is_said() -> None:
    topology = together(east={"cilium.extraValues": {"x": 1}, "versions.cilium": "1.42.0"})
    assert not any("extraValues" in line for line in lines(topology))
    assert notices(topology) == (
        f"{KEY}: are not compared with the Cilium chart 1.42.0, whose keys aren't known here",
    )


@pytest.mark.parametrize(
    ("values", "versions", "says"),
    [
        (
            {"corednsAutoConfigure": {"enabled": True}},
            {},
            "corednsAutoConfigure.enabled: edits the Corefile, which is this program's own",
        ),
        ({"enabled": True}, {"cilium": "1.20.0"}, "enabled: loses exported Services"),
        (
            {"enabled": True},
            {"kubernetes": "1.34.1"},
            "enabled: needs CoreDNS 1.12.2, and Kubernetes brings 1.12.1",
        ),
    ],
)
def test_multicluster_services_need_what_can_serve_them(
    values: dict[str, Any], versions: dict[str, str], says: str
) -> None:
    written = {f"versions_{name}": version for name, version in versions.items()}
    [found] = said({"clustermesh": {"mcsapi": values}}, **written)
    assert found.startswith(f"{KEY}.clustermesh.mcsapi.{says}")


def test_multicluster_services_are_taken_where_they_work() -> None:
    assert said({"clustermesh": {"mcsapi": {"enabled": True}}}) == []
    assert said({"clustermesh": {"mcsapi": {"enabled": False}}}, versions_cilium="1.20.0") == []
