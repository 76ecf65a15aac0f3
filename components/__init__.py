"""What the program builds: one component per file, the only place with Pulumi resources."""
