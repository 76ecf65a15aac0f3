"""A look at a mesh that is up: `asking` collects facts and changes nothing, `judging` judges."""
