"""The whole stack on one Linux machine, without a vCenter."""
