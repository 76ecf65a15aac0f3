"""What CoreDNS takes and what it refuses, without starting to serve.

CoreDNS sets up the plugins of all blocks before it listens, `view` as one of the last. A `view`
that is wrong ends every run here, and says that all before it was taken.
"""

import subprocess
from pathlib import Path

from mesh.pki.authority import certificate_authority

END = "z.example:53 {\n view last {\n  the_end\n }\n}\n"
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: here, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: here, context: {cluster: here}}]
current-context: here
"""
REACHED_THE_END = "unknown property 'the_end'"


class CoreDns:
    """One CoreDNS, asked what it takes."""

    def __init__(self, program: str, here: Path) -> None:
        self.program, self.here = program, here
        (here / "kubeconfig").write_text(KUBECONFIG)
        pair = certificate_authority("here", years=1)
        (here / "cert").write_text(pair.certificate)
        (here / "key").write_text(pair.key)
        self.said_last = ""
        self.version = self.said("-version").partition("CoreDNS-")[2].split()[0]

    def said(self, *arguments: str) -> str:
        command = [self.program, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        return run.stdout + run.stderr

    def takes(self, *blocks: str) -> bool:
        """Whether it takes server blocks of these lines, `{here}` being its directory."""
        texts = [f"a{number}.example:53 {{\n{lines}}}\n" for number, lines in enumerate(blocks)]
        return self.takes_file("".join(texts).replace("{here}", str(self.here)))

    def takes_file(self, corefile: str) -> bool:
        """Whether it takes a Corefile; its words are in `said_last`."""
        (self.here / "Corefile").write_text(f"{corefile}{END}")
        self.said_last = self.said("-conf", str(self.here / "Corefile"))
        return REACHED_THE_END in self.said_last
