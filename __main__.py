"""One cluster of the mesh: load, check, build, export."""

import pulumi

from components.authority import proposed_ca
from components.cluster import MeshCluster, MeshClusterArgs
from components.configuration import load
from components.expiry import admin_generation_now, warn_of_old_ca, workload_generations_now
from components.peers import known_peers, last_exports, refuse_forbidden_changes


async def main() -> pulumi.Inputs:
    """Build the cluster of this stack; whatever is wrong is said before anything is made."""
    configuration = load()
    settings = configuration.settings
    authority, lifetimes = settings.mesh.authority, settings.lifetimes

    last = await last_exports(authority, configuration.peers)
    refuse_forbidden_changes(settings, last)
    mesh_ca = proposed_ca(authority, last, lifetimes.ca_years)
    warn_of_old_ca(last)

    cluster = MeshCluster(
        settings.cluster.name,
        MeshClusterArgs(
            settings=settings,
            peers=known_peers(configuration.peers, last),
            topology=configuration.topology,
            mesh_ca=mesh_ca,
            admin_generation=admin_generation_now(last, lifetimes.admin_kubeconfig_days),
            workload_generations=workload_generations_now(
                last, lifetimes.workload_certificate_days
            ),
            vcenter_password=configuration.vcenter_password,
        ),
    )
    return cluster.outputs


pulumi.run(main)
