"""Certificates: how long they last, and whether the mesh's own CA vouches for them."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from cli.doctor.facts import Asked, Certificate, Unanswered
from cli.doctor.finding import Finding, Subject

_SOON = timedelta(days=30)
_SOON_OF_AN_AUTHORITY = timedelta(days=60)
_PART = 6
"""What lives for weeks only is warned of in the last sixth of its life."""


def certificates(
    cluster: str, found: Iterable[Asked[Certificate]], now: datetime
) -> Iterator[Finding]:
    """A finding for each certificate that was looked for."""
    for one in found:
        if isinstance(one, Unanswered):
            yield Subject(cluster, "certificate").not_checked(one.why)
        else:
            yield _judged(cluster, one, now)


def one_authority(authorities: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    """Clusters that trust no CA in common can't dial each other; by their fingerprints."""
    if len(authorities) < 2:
        return
    common = frozenset.intersection(*authorities.values())
    for cluster in authorities:
        subject = Subject(cluster, "CA of the mesh")
        if common:
            yield subject.ok("the same in all clusters that answer")
            continue
        alone = [other for other, theirs in authorities.items() if theirs & authorities[cluster]]
        if len(alone) <= len(authorities) / 2:
            seen = f"is another one than in {_listed(authorities.keys() - {*alone})}"
            yield subject.error(seen, f"pulumi up -s {cluster}, which says whose CA it keeps")


def _judged(cluster: str, one: Certificate, now: datetime) -> Finding:
    subject = Subject(cluster, f"certificate {one.holder}")
    left, fix = one.not_after - now, _fix(cluster, one)
    until = f"until {one.not_after:%Y-%m-%d}"
    if left <= timedelta(0):
        return subject.error(f"expired on {one.not_after:%Y-%m-%d %H:%M} UTC", fix)
    if one.not_before > now:
        return subject.error(
            f"is valid from {one.not_before:%Y-%m-%d %H:%M} UTC only",
            "set the clock of this machine, or of the one that signed it",
        )
    if not one.signed:
        return subject.error("isn't signed by the CA in Secret cilium-ca", fix)
    days = f"{left.days} days left, {until}"
    if left < _early(one):
        return subject.warning(days, fix)
    return subject.ok(days)


def _early(one: Certificate) -> timedelta:
    soon = _SOON_OF_AN_AUTHORITY if one.kind == "authority" else _SOON
    return min(soon, (one.not_after - one.not_before) / _PART)


def _fix(cluster: str, one: Certificate) -> str:
    own = f"kubectl --context {cluster} -n kube-system create job"
    fixes = {
        "api server": (
            "on the control plane: systemctl start mesh-certificate-renewal; it renews all of"
            " kubeadm's certificates"
        ),
        "admin": f"pulumi up -s {cluster}; mesh kubeconfig -o mesh.kubeconfig",
        "authority": "mesh runbook: its chapter Rotate the CA",
        "mesh": f"{own} --from=cronjob/clustermesh-apiserver-generate-certs renew-by-hand",
        "hubble": f"{own} --from=cronjob/hubble-generate-certs renew-by-hand",
    }
    return fixes[one.kind]


def _listed(clusters: Iterable[str]) -> str:
    return ", ".join(sorted(clusters))
