"""The lab's merged kubeconfig: contexts named like the clusters, for the owner only."""

from lab import engine, inside, project
from mesh.render.kubeconfig import merged_kubeconfig


def write() -> None:
    """Write the kubeconfig of every stack that has been brought up; mode 0600."""
    found = [text for stack in project.stacks() if (text := engine.output(stack, "kubeconfig"))]
    inside.KUBECONFIG.unlink(missing_ok=True)
    if not found:
        return
    inside.KUBECONFIG.touch(mode=0o600)
    inside.KUBECONFIG.write_text(merged_kubeconfig(found))
