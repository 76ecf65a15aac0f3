"""Words about certificates that end soon, in time to act on them."""

import pulumi

from components.peers import LastExports
from mesh.pki import admin_generation, days_left, next_generation

_AHEAD = 60  # days


def admin_generation_now(last: LastExports, lifetime_days: int) -> int:
    """Return the number of the admin certificate to use; warn when this run mints a new one."""
    now = admin_generation(last.certificates, lifetime_days)
    if last.certificates and now != int(last.certificates["adminGeneration"]):
        pulumi.log.warn(
            f"The admin kubeconfig ends on {last.certificates['adminNotAfter']}: `pulumi up` "
            "mints a new one. Then hand out `pulumi stack output kubeconfig --show-secrets` again."
        )
    return now


def workload_generations_now(last: LastExports, lifetime_days: int) -> dict[str, int]:
    """Return the number of each workload's certificates to use; warn when a run mints new ones."""
    generations = {}
    for name, known in (last.workloads or {}).items():
        now = next_generation(known["generation"], known["notAfter"], lifetime_days)
        generations[name] = now
        if now != int(known["generation"]):
            pulumi.log.warn(
                f"The certificates of workload {name} end on {known['notAfter']}: `pulumi up` "
                "mints new ones, and restarts what can't read them anew, member by member."
            )
    return generations


def warn_of_old_ca(last: LastExports) -> None:
    """Warn when the mesh CA ends within 60 days: nothing renews it by itself."""
    if last.own_ca and (left := days_left(last.own_ca.certificate)) < _AHEAD:
        pulumi.log.warn(
            f"The CA of the mesh ends in {left} days, and with it every connection between "
            "clusters: plan its rotation now."
        )
