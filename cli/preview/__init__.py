"""What a stack's program would build, learnt without a vCenter, a cluster or an engine."""
