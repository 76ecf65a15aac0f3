"""Texts and values that leave the program: for nodes, charts and clients."""
