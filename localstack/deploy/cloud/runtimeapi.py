"""The Lambda Runtime API for one process of a function."""

import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PREFIX = "/2018-06-01/runtime/"


class Failure(Exception):
    """Why a process did not start, or did not answer."""


class RuntimeAPI:
    """Serves one process at its own address."""

    def __init__(self) -> None:
        self._asked = threading.Event()  # set when the process asks for its first invocation, or has ended
        self._next: queue.SimpleQueue = queue.SimpleQueue()
        self._results: queue.SimpleQueue = queue.SimpleQueue()
        self._over: Failure | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return "%s:%d" % self._server.server_address

    def await_start(self, seconds: float) -> None:
        """Returns when the process asks for its first invocation. Raises Failure if it ends before, or takes too long."""
        if not self._asked.wait(seconds):
            raise Failure(f"Error: it asked for no invocation within {seconds} seconds")
        if self._over:
            raise self._over

    def invoke(self, request: str, payload: bytes, arn: str, trace: str, deadline: float) -> tuple[bytes, bool]:
        """Returns the answer, and whether the answer reports a failure. Raises Failure without an answer in time."""
        if self._over:
            raise self._over
        self._next.put((payload, {
            "Lambda-Runtime-Aws-Request-Id": request,
            "Lambda-Runtime-Deadline-Ms": str(int(deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": arn,
            "Lambda-Runtime-Trace-Id": trace,
            "Content-Type": "application/json",
        }))
        try:
            result = self._results.get(timeout=max(0, deadline - time.time()))
        except queue.Empty:
            raise Failure("Error: Task timed out") from None
        if isinstance(result, Failure):
            raise result
        return result

    def ended(self, status: int) -> None:
        """Reports to the waiting threads that the process has ended."""
        self._over = Failure(f"Error: Runtime exited with error: exit status {status}")
        self._asked.set()
        self._results.put(self._over)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(api: RuntimeAPI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path != PREFIX + "invocation/next":
                self._answer(404)
                return
            api._asked.set()
            while not api._over:
                try:
                    payload, headers = api._next.get(timeout=1)
                except queue.Empty:
                    continue
                self._answer(200, payload, headers)
                return

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else self._chunks()
            self._answer(202)
            if self.path.endswith("/response"):
                api._results.put((body, False))
            elif self.path.startswith(PREFIX + "invocation/"):
                api._results.put((body, True))
            # After an error at the start, the process ends, and its log has the reason.

        def _chunks(self) -> bytes:
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in ((headers or {}) | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    return Handler
