"""Programs and ports inside a pod, through the API: `kubectl exec` and `kubectl port-forward`."""

import json
import time
from collections.abc import Iterator
from typing import Protocol
from urllib.parse import quote, urlencode, urlsplit

import websocket

from cli.doctor.asking.api import ANSWER_SECONDS, Api, NoAnswerError

_COMMAND_SECONDS = 20.0
_PROTOCOL = "v4.channel.k8s.io"
_OUTPUT, _COMPLAINTS, _STATUS = 1, 2, 3
_DATA, _FAILURE = 0, 1


class Inside(Protocol):
    """The way into pods of kube-system; all of it raises NoAnswerError."""

    def run(self, pod: str, container: str, *command: str) -> str:
        """What a program prints that only looks."""
        ...

    def dial(self, pod: str, port: int, question: bytes) -> bytes:
        """What a TCP port answers to a question that, as its answer, begins with its length."""
        ...


class PodChannels:
    """`Inside` by websockets, each frame's first byte naming a channel.

    Source: k8s.io/cri-streaming, remotecommand/websocket.go and portforward/websocket.go.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    def run(self, pod: str, container: str, *command: str) -> str:
        """What a program prints; NoAnswerError when it fails or takes too long."""
        query = [("container", container), ("stdout", "1"), ("stderr", "1")]
        said: dict[int, bytes] = {}
        for channel, data in self._frames(pod, "exec", query + [("command", c) for c in command]):
            said[channel] = said.get(channel, b"") + data
            if channel == _STATUS and data:  # an empty one says only that the channel is open
                break
        status = json.loads(said.get(_STATUS) or b"{}")
        if status.get("status") != "Success":
            words = said.get(_COMPLAINTS, b"").decode("utf-8", "replace").strip().splitlines()
            reason = words[-1] if words else status.get("message") or "it ended without a word"
            raise NoAnswerError(f"{command[0]} failed: {reason}")
        return said.get(_OUTPUT, b"").decode("utf-8", "replace")

    def dial(self, pod: str, port: int, question: bytes) -> bytes:
        """What a TCP port answers; the two bytes of its length included."""
        answer, opened = b"", set[int]()
        frames = self._frames(pod, "portforward", [("ports", str(port))], question)
        for channel, data in frames:
            if channel not in opened:  # each channel begins with the port's number
                opened.add(channel)
            elif channel == _FAILURE:
                raise NoAnswerError(f"no connection to port {port}")
            elif channel == _DATA:
                answer += data
                if len(answer) >= 2 and len(answer) - 2 >= int.from_bytes(answer[:2]):
                    return answer
        raise NoAnswerError(f"port {port} hung up without an answer")

    def _frames(
        self, pod: str, way: str, query: list[tuple[str, str]], first: bytes | None = None
    ) -> Iterator[tuple[int, bytes]]:
        server = urlsplit(self._api.access.server)
        path = f"/api/v1/namespaces/kube-system/pods/{quote(pod)}/{way}?{urlencode(query)}"
        end = time.monotonic() + _COMMAND_SECONDS
        try:
            channels = websocket.create_connection(
                f"wss://{server.netloc}{server.path}{path}",
                timeout=ANSWER_SECONDS,
                subprotocols=[_PROTOCOL],
                header=self._api.authorization,
                sslopt={"context": self._api.tls},
            )
            try:
                if first is not None:
                    channels.send_binary(bytes([_DATA]) + first)
                while time.monotonic() < end and (frame := channels.recv()):
                    data = frame.encode() if isinstance(frame, str) else frame
                    yield data[0], data[1:]
            finally:
                channels.shutdown()  # type: ignore[no-untyped-call]
        except websocket.WebSocketConnectionClosedException:
            return
        except websocket.WebSocketTimeoutException:
            raise NoAnswerError(f"no answer out of pod {pod} in time") from None
        except (websocket.WebSocketException, OSError) as error:
            raise NoAnswerError(f"no way into pod {pod} ({type(error).__name__})") from None
