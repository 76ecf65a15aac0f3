"""Prints the addresses of a name, one a line: dnspython, strict about the answer's name."""

import sys

import dns.exception
import dns.resolver

try:
    found = dns.resolver.Resolver().resolve(sys.argv[1], "A", search=True)
except dns.exception.DNSException as error:
    sys.exit(repr(error))
print("\n".join(record.to_text() for record in found))
