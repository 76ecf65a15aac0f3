"""A stand-in for Pulumi's vSphere plugin, for the lab only: not the real one.

It speaks the same resource tokens over the same protocol, and does with the simulated vCenter
what this project's program needs of the real plugin, which can't be installed everywhere.
"""

from lab.vsphere_stand_in.wrapper import write_plugin

__all__ = ["write_plugin"]
