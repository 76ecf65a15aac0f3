"""Keep the keys of Cilium charts: `python -m mesh.chart_keys CHART…`, directories or .tgz."""

import sys
from pathlib import Path

from mesh.chart_keys.chart import keys_of_chart
from mesh.chart_keys.kept import file_of


def main(charts: list[str]) -> None:
    """Write the file of each chart's minor beside this one."""
    for chart in charts:
        path, text = file_of(keys_of_chart(Path(chart)))
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
