"""Starts the stand-in plugin: prints its port; the last argument is the address of the engine."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc  # type: ignore[import-untyped]  # its stubs are a package of their own
from pulumi.runtime.proto import engine_pb2
from pulumi.runtime.proto.engine_pb2_grpc import EngineStub
from pulumi.runtime.proto.provider_pb2_grpc import add_ResourceProviderServicer_to_server

from lab.vsphere_stand_in.provider import StandInProvider

NOTICE = "stand-in vSphere plugin, not the real one"

_CALLS = 32
_ANY_SIZE = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
_LOOK_SECONDS = 2
_GRACE_SECONDS = 5


def main() -> None:
    """Serve until the engine ends or asks to end."""
    engine = os.getppid()
    server = grpc.server(ThreadPoolExecutor(max_workers=_CALLS), options=_ANY_SIZE)
    add_ResourceProviderServicer_to_server(StandInProvider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    # An interrupt is the engine's to answer: it cancels what runs, and ends its plugins.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: server.stop(_GRACE_SECONDS))
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    # Options of the engine's own, such as -v, come before its address.
    _say_so(sys.argv[-1])
    # An engine that was killed can't end its plugins.
    while server.wait_for_termination(timeout=_LOOK_SECONDS):
        if os.getppid() != engine:
            server.stop(_GRACE_SECONDS)


def _say_so(engine: str) -> None:
    with grpc.insecure_channel(engine) as channel:
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=NOTICE)
        EngineStub(channel).Log(request, timeout=_GRACE_SECONDS)


if __name__ == "__main__":
    main()
