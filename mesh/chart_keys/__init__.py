"""The keys that the values of a Cilium chart have, kept per minor or read from a chart."""

from mesh.chart_keys.chart import ChartError, keys_of_chart
from mesh.chart_keys.kept import kept_keys
from mesh.chart_keys.keys import ChartKeys

__all__ = ["ChartError", "ChartKeys", "kept_keys", "keys_of_chart"]
