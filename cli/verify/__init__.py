"""`mesh verify`: the mesh asked from inside, by pods that come and go."""
