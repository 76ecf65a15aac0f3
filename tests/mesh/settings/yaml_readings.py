"""How the real engine reads what people write without quotes, and what we make of it.

`pulumi config --json` of 3.274.1 said so; tests/engine/test_yaml_readings.py asks it again.
"""

from typing import NamedTuple


class Reading(NamedTuple):
    """A value as written, the engine's reading of it, and the end of our refusal.

    `refused` is None where PyYAML, the engine and a person agree: that is read.
    """

    written: str
    engine: object
    refused: str | None = None


BOOLEAN = "is a boolean to some readers of YAML and text to others: write {}, or put it in quotes"
OCTAL = "is octal to some readers of YAML and decimal to others: write {}, or put it in quotes"
BASE_60 = "is a number of base 60 to some readers of YAML and text to others: put it in quotes"
NUMBER = "is read as the number {0}: write {0}, or put it in quotes"
LONG = "is too long for a number: put it in quotes, or write a shorter one"
DATE = "is a date to YAML: put it in quotes"

READINGS = (
    # Booleans: only true and false are so in YAML 1.2.
    Reading("true", True),
    Reading("True", True),
    Reading("FALSE", False),
    Reading("tRue", "tRue"),
    Reading("'yes'", "yes"),
    Reading("yes", "yes", BOOLEAN.format("true")),
    Reading("Yes", "Yes", BOOLEAN.format("true")),
    Reading("on", "on", BOOLEAN.format("true")),
    Reading("y", "y", BOOLEAN.format("true")),
    Reading("no", "no", BOOLEAN.format("false")),
    Reading("NO", "NO", BOOLEAN.format("false")),
    Reading("off", "off", BOOLEAN.format("false")),
    Reading("N", "N", BOOLEAN.format("false")),
    # Whole numbers.
    Reading("0", 0),
    Reading("8", 8),
    Reading("-3", -3),
    Reading("123456789012345678", 123456789012345678),
    Reading("'010'", "010"),
    Reading("010", 8, OCTAL.format("8 if it is octal and 10 if not")),
    Reading("0644", 420, OCTAL.format("420 if it is octal and 644 if not")),
    Reading("-010", -8, OCTAL.format("-8 if it is octal and -10 if not")),
    Reading("0o17", 15, OCTAL.format("15 if it is octal and 17 if not")),
    Reading("0_7", 7, OCTAL.format("7")),
    Reading("00", 0, OCTAL.format("0")),
    Reading("09", 9, OCTAL.format("9")),
    Reading("0x1F", 31, NUMBER.format(31)),
    Reading("0b101", 5, NUMBER.format(5)),
    Reading("+5", 5, NUMBER.format(5)),
    Reading("-0", 0, NUMBER.format(0)),
    Reading("1_000", 1000, NUMBER.format(1000)),
    Reading("1e3", 1000, NUMBER.format(1000)),
    Reading("9223372036854775808", 9223372036854776000, LONG),
    Reading("123456789012345678901234567890", 1.2345678901234568e29, LONG),
    # Numbers with a fraction, and versions that look like one.
    Reading("1.3", 1.3),
    Reading("0.0025", 0.0025),
    Reading("1.36.3", "1.36.3"),
    Reading("1.30", 1.3, NUMBER.format("1.3")),
    Reading("1.0", 1, NUMBER.format(1)),
    Reading("1.", 1, NUMBER.format(1)),
    Reading(".5", 0.5, NUMBER.format("0.5")),
    Reading("+1.5", 1.5, NUMBER.format("1.5")),
    Reading("1.5e3", 1500, NUMBER.format(1500)),
    # Times.
    Reading("1:30", "1:30", BASE_60),
    Reading("64512:10", "64512:10", BASE_60),
    Reading("190:20:30.15", "190:20:30.15", BASE_60),
    Reading("2026-01-02", "2026-01-02 00:00:00 +0000 UTC", DATE),
    Reading("2026-01-02 03:04:05", "2026-01-02 03:04:05 +0000 UTC", DATE),
    Reading("2026-13-40", "2026-13-40", DATE),
    Reading("2026-01", "2026-01"),
    # Nothing at all.
    Reading("", None),
    Reading("~", None),
    Reading("null", None),
    Reading("NULL", None),
    Reading("nUll", "nUll"),
    Reading("''", ""),
    # Text.
    Reading("10.11.84.20", "10.11.84.20"),
    Reading("fd00::1", "fd00::1"),
    Reading("64512:100", "64512:100"),
    Reading("name#1", "name#1"),
    Reading("name #1", "name"),
    Reading("0x", "0x"),
    Reading("_1", "_1"),
    Reading("=", "="),
)
"""Values of one key, each on its own."""

ENGINE_REFUSES = (".inf", "-.INF", ".nan", ".NaN")
"""Numbers for which the engine ends in an error of its own JSON."""
