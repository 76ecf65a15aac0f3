"""What runs in the clusters: the standard library only, as it is shipped as text.

`python3 -m mesh.acceptance.probe target` answers, and `… run` asks and writes down what it saw.
"""
