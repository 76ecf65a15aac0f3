"""Whether a mesh really works: what is brought into the clusters to ask, and what it found."""
