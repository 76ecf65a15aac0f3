"""The keys of a chart, kept or read, and which written ones it doesn't know."""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.charts import cilium_chart, values
from mesh.chart_keys import ChartError, ChartKeys, kept_keys, keys_of_chart
from mesh.chart_keys.kept import file_of

REAL = cilium_chart()


def kept() -> ChartKeys:
    keys = kept_keys("1.20")
    assert keys is not None
    return keys


def unknown(written: dict[str, Any], keys: ChartKeys | None = None) -> list[tuple[str, str | None]]:
    return [(one.key, one.nearest) for one in (keys or kept()).unknown(written)]


def test_what_is_kept_is_what_the_real_chart_has() -> None:
    path, text = file_of(keys_of_chart(REAL))
    assert path.read_text() == text
    assert kept() == keys_of_chart(REAL)


def test_all_values_of_the_real_chart_are_known() -> None:
    assert unknown(values(REAL)) == []


@pytest.mark.parametrize("minor", ["1.19", "1.20"])
def test_a_key_that_only_a_template_names_is_known(minor: str) -> None:
    keys = kept_keys(minor)
    assert unknown({"tls": {"caBundle": {"content": "PEM"}}, "tunnelPort": 8223}, keys) == []


@pytest.mark.parametrize(
    "written",
    [
        {"clustermesh": {"disableKubernetesHostAliases": True}},
        {"podSecurityContext": {"fsGroup": 1}, "nodeSelector": {"kubernetes.io/arch": "arm64"}},
        {"extraConfig": {"anything": "x"}, "resources": {"limits": {"cpu": 1}}},
        {"clustermesh": {"config": {"clusters": {"west": {"ips": [], "port": 1}}}}},
        {"operator": {"updateStrategy": {"whatever": 1}}, "apiRateLimit": "x"},
        {"clustermesh": {"apiserver": {"tls": {"server": {"extraDnsNames": ["x"]}}}}},
        {"hubble": {"metrics": {"enabled": ["dns"], "dynamic": {"enabled": True}}}},
        {"kubeProxyReplacement": {"not": "a group"}},
    ],
)
def test_what_the_chart_hands_on_may_be_anything(written: dict[str, Any]) -> None:
    assert unknown(written) == []


@pytest.mark.parametrize(
    ("written", "key", "nearest"),
    [
        ({"l7proxy": False}, "l7proxy", "l7Proxy"),
        ({"clustermesh": {"apiservr": {"replicas": 2}}}, "clustermesh.apiservr", "apiserver"),
        ({"hubble": {"relay": {"enable": True}}}, "hubble.relay.enable", "enabled"),
        ({"operator": {"image": {"repositry": "x"}}}, "operator.image.repositry", "repository"),
        ({"zzzz": 1}, "zzzz", None),
    ],
)
def test_a_misspelt_key_is_found_with_the_nearest(
    written: dict[str, Any], key: str, nearest: str | None
) -> None:
    assert unknown(written) == [(key, nearest)]


def test_a_minor_of_which_nothing_is_kept_has_no_keys() -> None:
    assert kept_keys("1.42") is None


def test_an_archive_is_read_as_its_directory(tmp_path: Path) -> None:
    archive = tmp_path / "cilium.tgz"
    with tarfile.open(archive, "w:gz") as writing:
        writing.add(REAL, "cilium")
    assert keys_of_chart(archive) == keys_of_chart(REAL)


@pytest.mark.parametrize("content", [b"", b"not an archive", None])
def test_what_is_no_chart_is_an_error_in_words(tmp_path: Path, content: bytes | None) -> None:
    chart = tmp_path / "chart.tgz"
    if content is not None:
        chart.write_bytes(content)
    with pytest.raises(ChartError):
        keys_of_chart(chart)


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[: len(whole) // 2], lambda _: b"\x1f\x8b\x08"]
)
def test_an_archive_that_was_cut_off_is_an_error_in_words(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    archive = tmp_path / "cilium.tgz"
    with tarfile.open(archive, "w:gz") as writing:
        writing.add(REAL, "cilium")
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(ChartError):
        keys_of_chart(archive)


def test_a_chart_without_a_version_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: cilium\n")
    (tmp_path / "values.yaml").write_text("debug: {}\n")
    with pytest.raises(ChartError, match="version"):
        keys_of_chart(tmp_path)
