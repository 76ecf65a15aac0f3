"""What lies in the Secrets of a workload: certificates of its own CA."""

import hashlib
from collections.abc import Mapping

from mesh.pki import KeyPair, Request, workload_authority, workload_certificate
from mesh.workloads.kinds import software_of
from mesh.workloads.names import LOOPBACK, server_names
from mesh.workloads.software import Certificate, Software
from mesh.workloads.workload import Site, Workload

KeyPairs = dict[str, dict[str, str]]
"""Certificates with their keys by name, as a stack keeps them."""


def requests(workload: Workload, site: Site) -> dict[str, Request]:
    """The certificates that one cluster needs, by name."""
    software = software_of(workload, site)
    return {one.name: _request(site, software, one) for one in software.certificates}


def key_pairs(mesh_ca: Mapping[str, str], workload: Workload, site: Site, days: int) -> KeyPairs:
    """New certificates for one cluster, valid for that many days."""
    authority = workload_authority(KeyPair.from_mapping(mesh_ca), workload.name)
    return {
        name: workload_certificate(authority, request, days).as_mapping()
        for name, request in requests(workload, site).items()
    }


def secret_data(
    mesh_ca: Mapping[str, str],
    kept: KeyPairs,
    workload: Workload,
    site: Site,
    *,
    for_clients: bool,
) -> dict[str, str]:
    """The files of the members' Secret, or of the clients'; never a CA's key."""
    authority = workload_authority(KeyPair.from_mapping(mesh_ca), workload.name)
    software, data = software_of(workload, site), {"ca.crt": authority.certificate}
    for certificate in software.certificates:
        if certificate.for_clients == for_clients:
            data |= _files(certificate, KeyPair.from_mapping(kept[certificate.name]))
    return data


def _files(certificate: Certificate, pair: KeyPair) -> dict[str, str]:
    data = {f"{certificate.name}.crt": pair.certificate, f"{certificate.name}.key": pair.key}
    if certificate.in_one_file:
        data[f"{certificate.name}.pem"] = pair.certificate + pair.key
    return data


def _request(site: Site, software: Software, certificate: Certificate) -> Request:
    return Request(
        common_name=certificate.common_name,
        organization=certificate.organization,
        organizational_unit=certificate.organizational_unit,
        dns_names=server_names(site, software) if certificate.server else (),
        addresses=(LOOPBACK,) if certificate.server else (),
    )


def certificates_hash(workload: Workload, site: Site) -> str:
    """A short text that changes with the names in the certificates of one cluster."""
    wanted = repr(sorted(requests(workload, site).items()))
    return hashlib.sha256(wanted.encode()).hexdigest()[:8]
