"""The keys that lie beside this file, one file for each minor of Cilium."""

from functools import cache
from pathlib import Path

import yaml

from mesh.chart_keys.keys import ChartKeys

_HERE = Path(__file__).parent
_HEAD = """\
# Keys of the values of the Cilium chart {version}: each group, then the keys it has.
# Made by `python -m mesh.chart_keys CHART`; don't edit.
"""


@cache
def kept_keys(minor: str) -> ChartKeys | None:
    """The keys of the chart of a minor such as 1.20; None when none are kept."""
    file = _HERE / f"{minor}.yaml"
    if not file.is_file():
        return None
    kept = yaml.safe_load(file.read_text("utf-8"))
    groups = {name: frozenset(keys.split()) for name, keys in kept["groups"].items()}
    return ChartKeys(kept["version"], groups)


def file_of(keys: ChartKeys) -> tuple[Path, str]:
    """The file in which keys are kept, and its text."""
    groups = {name: " ".join(sorted(members)) for name, members in sorted(keys.groups.items())}
    kept = yaml.safe_dump({"version": keys.version, "groups": groups}, sort_keys=False, width=96)
    minor = keys.version.rpartition(".")[0]
    return _HERE / f"{minor}.yaml", _HEAD.format(version=keys.version) + kept
