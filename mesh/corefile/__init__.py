"""CoreDNS's own language: what its files are made of."""
