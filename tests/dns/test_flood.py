"""A peer's address that asks as much as it can: the cluster's own names stay, at a price."""

import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mesh.render.corefile import EXPOSED_PORT
from tests.dns.fleets import Fleet
from tests.dns.hosts import Host

pytestmark = [pytest.mark.drill, pytest.mark.timeout(600)]

SECONDS = 20
MEMORY_LIMIT = 170 * 2**20
"""What kubeadm gives its CoreDNS."""
ZONE = "west.mesh.example"
LOCAL = "db-0.db.shop.svc.cluster.local"


@pytest.fixture
def random_names(tmp_path: Path) -> Path:
    digits = random.Random(5)
    names = (f"x{digits.randrange(10**9)}.db.shop.{ZONE}" for _ in range(200_000))
    return questions(tmp_path / "random", *names)


def test_a_flood_of_random_names_takes_no_answer_and_no_memory_from_the_cluster(
    ours: Fleet, tmp_path: Path, random_names: Path
) -> None:
    west, attacker = ours["west"], ours["east"].host
    local = questions(tmp_path / "local", LOCAL)
    target = ["-s", west.host.address, "-p", str(EXPOSED_PORT), "-q", "200", "-l", str(SECONDS)]
    flood = subprocess.Popen(dnsperf(attacker, random_names, *target), stdout=subprocess.PIPE)
    with flood:
        time.sleep(1)
        calm = ["-s", "127.0.0.1", "-Q", "200", "-l", str(SECONDS // 2)]
        told = subprocess.run(
            dnsperf(west.host, local, *calm), capture_output=True, text=True, check=True
        ).stdout
        memory = west.resident_bytes()
        assert flood.poll() is None, "the flood was over too soon"
    assert re.search(r"Queries lost: +0 ", told), told
    assert re.search(r"NOERROR \d+ \(100.00%\)", told), told
    assert memory < MEMORY_LIMIT
    print(told)


def questions(file: Path, *names: str) -> Path:
    file.write_text("".join(f"{name} A\n" for name in names))
    return file


def dnsperf(host: Host, file: Path, *options: str) -> list[str]:
    if not shutil.which("dnsperf"):
        pytest.skip("NOT TESTED: dnsperf is missing; `lab build` installs it on Debian")
    return host.command("dnsperf", "-d", str(file), *options)
