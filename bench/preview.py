"""How long a preview of the program takes on the real engine: `python -m bench.preview [ROUNDS]`.

Its rival registers the same resources from a list. Both are started anew for every preview, with
the real Kubernetes plugin, the lab's stand-in for vSphere and a simulated vCenter.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.bare_program import bare, write_list
from cli.preview.mocks import World
from cli.preview.program import config_of, run_program
from lab.paths import cache
from tests.engine.conftest import PROJECT, Engine, simulator
from tests.engine.test_whole_program import adapt, program

STACKS = ("east", "west")
ROUNDS = 7
LIST = "resources.json"
HEAD = "| preview of a new stack | min | median | max |\n|---|---:|---:|---:|\n"


def main() -> None:
    """Print the table of README.md; program and rival take turns."""
    if len(sys.argv) == 4:
        sys.stdout.write(json.dumps(_once(sys.argv[2], Path(sys.argv[3]))))
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="mesh-bench-") as home:
        engine = _engine(Path(home))
        with simulator(engine) as address:
            _prepare(engine, address)
            took: dict[str, list[float]] = {"program": [], "bare": []}
            for _ in range(rounds):
                for kind, seconds in took.items():
                    seconds.append(_in_a_process_of_its_own(kind, engine))
    sys.stdout.write(table(took))


def _engine(home: Path) -> Engine:
    root = Path(os.environ.get("PULUMI_ROOT", cache()))
    for directory in ("state", "project", "plugins"):
        (home / directory).mkdir()
    for file in (*PROJECT.glob("Pulumi*.yaml"), PROJECT / "__main__.py"):
        shutil.copy(file, home / "project")
    return Engine(root, home)


def _prepare(engine: Engine, address: str) -> None:
    """Initialise the stacks, and write down what the program registers for the first of them."""
    os.chdir(engine.project)
    for stack in STACKS:
        adapt(engine, stack, address)
    config = config_of(engine.project, STACKS[0], "asked-of-nobody")
    run = run_program(engine.project, STACKS[0], config, World(), preview=False)
    write_list(run, engine.home / LIST)
    for stack in STACKS:
        engine.stack(stack, program)


def _in_a_process_of_its_own(kind: str, engine: Engine) -> float:
    command = [sys.executable, "-m", "bench.preview", "once", kind, str(engine.home)]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PULUMI_ROOT": str(engine.root)}
    done = subprocess.run(
        command, cwd=engine.project, env=environment, stdout=subprocess.PIPE, check=True
    )
    answer = json.loads(done.stdout)
    if answer["created"] < 30:
        raise AssertionError(f"{kind} previewed {answer['created']} resources only")
    return float(answer["seconds"])


def _once(kind: str, home: Path) -> dict[str, float]:
    engine = Engine(Path(os.environ["PULUMI_ROOT"]), home)
    rival = partial(bare, home / LIST, list(STACKS))
    stack = engine.stack(STACKS[0], program if kind == "program" else rival)
    start = perf_counter()
    created = stack.preview().change_summary.get("create", 0)  # type: ignore[call-overload]
    return {"seconds": perf_counter() - start, "created": created}


def table(took: dict[str, list[float]]) -> str:
    """The table of README.md; the ratio is taken in every round, of neighbours in time."""
    rows = "".join(
        f"| {kind} | {min(seconds):.2f} s | {median(seconds):.2f} s | {max(seconds):.2f} s |\n"
        for kind, seconds in took.items()
    )
    ratios = [own / other for own, other in zip(took["program"], took["bare"], strict=True)]
    ratio = f"| program : bare | {min(ratios):.2f} | {median(ratios):.2f} | {max(ratios):.2f} |\n"
    return HEAD + rows + ratio


if __name__ == "__main__":
    main()
