"""How long things take, measured against a rival in the same run; README.md has the figures."""
