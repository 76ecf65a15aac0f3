"""How long a certificate lasts, and when the admin's is made anew."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509


def certificate_expiry(pem: str) -> datetime:
    """The moment, in UTC, after which the certificate is no longer valid."""
    return x509.load_pem_x509_certificate(pem.encode()).not_valid_after_utc


def days_left(pem: str) -> int:
    """Whole days until the certificate expires; negative when it has."""
    return (certificate_expiry(pem) - datetime.now(UTC)).days


def admin_generation(last: Mapping[str, Any] | None, days: int) -> int:
    """The number of the admin certificate to use now, from the `certificates` last exported.

    The first is 1. The next one comes when less than a third of its lifetime of `days` is left,
    so that a stack which is brought up now and then never meets an expired certificate.
    """
    if not last or "adminGeneration" not in last:
        return 1
    generation = int(last["adminGeneration"])  # numbers in a stack's outputs are floats
    expiry = datetime.fromisoformat(str(last["adminNotAfter"]))
    return generation + int(expiry - datetime.now(UTC) < timedelta(days=days) / 3)
