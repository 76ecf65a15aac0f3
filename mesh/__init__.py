"""What the program knows about the mesh: plain Python, no Pulumi, no clock, no network."""
