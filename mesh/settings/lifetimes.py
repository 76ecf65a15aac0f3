"""How long what the program signs is valid."""

from pydantic import Field

from mesh.settings.base import Model


class LifetimesSettings(Model):
    """Lifetimes of authorities, certificates and tokens."""

    ca_years: int = Field(default=10, ge=1, le=100)
    """Years of every certificate authority, of the mesh and of the cluster."""
    control_plane_certificate_days: int = Field(default=365, ge=1, le=3650)
    """Days of kubeadm's certificates, which a timer on the control plane renews."""
    admin_kubeconfig_days: int = Field(default=365, ge=1, le=3650)
    """Days of the admin's kubeconfig, minted anew by an `up` in its last third."""
    mesh_certificate_days: int = Field(default=365, ge=62, le=3650)
    """Days of the mesh's etcd certificates; a CronJob renews them each month and may fail once."""
    workload_certificate_days: int = Field(default=365, ge=1, le=3650)
    """Days of the certificates of `workloads`, minted anew by an `up` in their last third."""
    bootstrap_token_hours: int = Field(default=0, ge=0, le=2_500_000)
    """Hours in which a worker may join; 0 is for ever, so that one can be added later."""
