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
    known = last or {}
    return next_generation(known.get("adminGeneration"), known.get("adminNotAfter"), days)


def next_generation(generation: float | None, not_after: str | None, days: int) -> int:
    """The number of a certificate to use now, from the one used last; by the same rule."""
    if generation is None:
        return 1
    expiry = datetime.fromisoformat(str(not_after))
    # Numbers in a stack's outputs are floats.
    return int(generation) + int(expiry - datetime.now(UTC) < timedelta(days=days) / 3)
