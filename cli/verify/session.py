"""`mesh verify`: pods are made in every cluster, ask each other, and are taken away again."""

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from cli.doctor.asking.access import Access
from cli.doctor.asking.api import Api
from cli.doctor.asking.inside import Inside, PodChannels
from cli.failure import Failure
from cli.verify.looks import looks
from cli.verify.plans import Part, parts
from cli.verify.workbench import NAMESPACE, Workbench
from mesh.acceptance.findings import Finding, Report, findings
from mesh.acceptance.manifests import BOUND, job, lasting
from mesh.acceptance.probe.run import RESULT

Say = Callable[[str, str], None]
"""Told of a cluster and of what is done there now."""
Enter = Callable[[Api], Inside]
Did = TypeVar("Did")
_TARGET_SECONDS = 240
_GONE_SECONDS = 120
_PAUSE = 1.0


class StoppedError(Exception):
    """Somebody pressed Ctrl-C, or another cluster failed; what is made is taken away."""


class Session:
    """One verification of the clusters; whatever happens, nothing of it stays in them."""

    def __init__(
        self,
        ways: Sequence[Access],
        directory: Path,
        say: Say,
        image: str | None = None,
        enter: Enter = PodChannels,
    ) -> None:
        self._ways = ways
        self._directory = directory
        self._say = say
        self._image = image
        self._enter = enter
        self._stopped = threading.Event()

    def run(self) -> tuple[Finding, ...]:
        """Every finding, by the cluster that asked. Raises Failure when it can't be done."""
        with ExitStack() as ends:
            benches = [ends.enter_context(Workbench(way)) for way in self._ways]
            # CoreDNS answers for a while with what an earlier run was told, whoever has gone since.
            asked = parts(self._directory, benches, secrets.token_hex(3))
            with self._cleared(benches):
                # All targets first: a run takes a missing one for a failure.
                self._everywhere(self._prepare, asked)
                self._everywhere(self._ask, asked)
                found = self._everywhere(self._read, asked)
        return tuple(one for part in found for one in part)

    @contextmanager
    def _cleared(self, benches: Sequence[Workbench]) -> Iterator[None]:
        try:
            yield
        finally:
            self._stopped.clear()
            self._everywhere(self._clear, benches)

    def _prepare(self, part: Part) -> None:
        cluster = part.bench.cluster
        self._say(cluster, "starting a pod to ask")
        image = self._image or part.image
        part.bench.make(lasting(NAMESPACE, cluster, image, part.plan.mark))
        part.bench.wait_for_target(self._pause, _TARGET_SECONDS)
        self._say(cluster, "ready")

    def _ask(self, part: Part) -> None:
        cluster = part.bench.cluster
        self._say(cluster, "asking the others")
        made = job(part.plan, self._image or part.image)
        part.bench.make([made])
        part.bench.wait_for_run(made["metadata"]["name"], self._pause, BOUND + 60)
        self._say(cluster, "done")

    def _read(self, part: Part) -> list[Finding]:
        report = Report.read(part.bench.config_map(NAMESPACE, RESULT))
        if report is None or report.run != part.plan.run:
            raise Failure(f"{part.bench.cluster}: the run left no result")
        inside = self._enter(part.bench.api)
        return [*findings(report, part.plan, part.tunnel), *looks(part, inside)]

    def _clear(self, bench: Workbench) -> None:
        self._say(bench.cluster, "taking away what was made")
        bench.clear(self._pause, _GONE_SECONDS)

    def _everywhere(
        self, do: Callable[..., Did], over: Sequence[Part] | Sequence[Workbench]
    ) -> list[Did]:
        """Do it for all at once; the first failure stops the others, Ctrl-C all of them."""
        with ThreadPoolExecutor(max(len(over), 1)) as threads:
            futures = [threads.submit(partial(self._or_stop, do), one) for one in over]
            try:
                # Told of the failure itself, and not of what it stopped.
                errors = [error for future in futures if (error := future.exception())]
            except BaseException:
                self._stopped.set()
                raise
        for error in sorted(errors, key=lambda one: isinstance(one, StoppedError)):
            raise error
        return [future.result() for future in futures]

    def _or_stop(self, do: Callable[..., Did], what: Part | Workbench) -> Did:
        try:
            return do(what)
        except Exception:
            self._stopped.set()
            raise

    def _pause(self) -> None:
        if self._stopped.wait(_PAUSE):
            raise StoppedError
