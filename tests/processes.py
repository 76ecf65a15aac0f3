"""Programs that end with the tests that started them."""

DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")
"""In front of a command: it ends with the thread that started it, also when that is killed."""
