"""What a user may write in Pulumi.yaml and Pulumi.<stack>.yaml."""

from mesh.settings.acceptance import AcceptanceSettings
from mesh.settings.bgp import BgpPeerSettings, BgpSettings
from mesh.settings.cluster import CiliumSettings, ClusterSettings
from mesh.settings.dns import DnsSettings
from mesh.settings.lifetimes import LifetimesSettings
from mesh.settings.load import config_from_engine, either_file, file_of, settings_from_config
from mesh.settings.load_balancer import AddressRange, LoadBalancerSettings
from mesh.settings.mesh import MeshSettings
from mesh.settings.network import NetworkSettings
from mesh.settings.nodes import ControlPlaneSettings, NodesSettings, WorkerSettings
from mesh.settings.problems import Problem, SettingsError
from mesh.settings.secrets import SECRET_KEYS, password_command
from mesh.settings.settings import Settings
from mesh.settings.siblings import readable_siblings, sibling_settings, stacks_with_a_file
from mesh.settings.versions import (
    ChartSettings,
    ChartsSettings,
    ImagesSettings,
    VersionsSettings,
)
from mesh.settings.vsphere import VsphereSettings
from mesh.settings.workloads import WorkloadSettings

__all__ = [
    "SECRET_KEYS",
    "AcceptanceSettings",
    "AddressRange",
    "BgpPeerSettings",
    "BgpSettings",
    "ChartSettings",
    "ChartsSettings",
    "CiliumSettings",
    "ClusterSettings",
    "ControlPlaneSettings",
    "DnsSettings",
    "ImagesSettings",
    "LifetimesSettings",
    "LoadBalancerSettings",
    "MeshSettings",
    "NetworkSettings",
    "NodesSettings",
    "Problem",
    "Settings",
    "SettingsError",
    "VersionsSettings",
    "VsphereSettings",
    "WorkerSettings",
    "WorkloadSettings",
    "config_from_engine",
    "either_file",
    "file_of",
    "password_command",
    "readable_siblings",
    "settings_from_config",
    "sibling_settings",
    "stacks_with_a_file",
]
