"""Plays the process that a RuntimeAPI serves. TestRuntimeAPI (cloud_test.go) runs it."""

import http.client
import threading
import time
import unittest

from runtimeapi import PREFIX, Failure, RuntimeAPI


class Process:
    def __init__(self, api: RuntimeAPI) -> None:
        self.connection = http.client.HTTPConnection(api.address, timeout=10)

    def call(self, method: str, path: str, body: bytes | None = None) -> tuple[int, dict, bytes]:
        self.connection.request(method, PREFIX + path, body)
        answer = self.connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()

    def answer_next(self, how: str) -> None:
        _, headers, payload = self.call("GET", "invocation/next")
        self.call("POST", f"invocation/{headers['Lambda-Runtime-Aws-Request-Id']}/{how}", payload.upper())


class RuntimeAPITest(unittest.TestCase):
    def setUp(self) -> None:
        self.api = RuntimeAPI()
        self.addCleanup(self.api.close)

    def invoke(self, seconds: float = 10) -> tuple[bytes, bool]:
        return self.api.invoke("id", b"payload", "arn", "trace", time.time() + seconds)

    def play(self, how: str) -> tuple[bytes, bool]:
        thread = threading.Thread(target=Process(self.api).answer_next, args=(how,))
        thread.start()
        self.api.await_start(10)
        result = self.invoke()
        thread.join(10)
        return result

    def test_answer(self) -> None:
        self.assertEqual(self.play("response"), (b"PAYLOAD", False))

    def test_reported_error(self) -> None:
        self.assertEqual(self.play("error"), (b"PAYLOAD", True))

    def test_no_start(self) -> None:
        with self.assertRaisesRegex(Failure, "asked for no invocation"):
            self.api.await_start(0.01)

    def test_end_at_the_start(self) -> None:
        self.api.ended(7)
        with self.assertRaisesRegex(Failure, "exit status 7"):
            self.api.await_start(10)

    def test_end_before_the_answer(self) -> None:
        threading.Timer(0.05, self.api.ended, (7,)).start()
        with self.assertRaisesRegex(Failure, "exit status 7"):
            self.invoke()

    def test_timeout(self) -> None:
        with self.assertRaisesRegex(Failure, "timed out"):
            self.invoke(0.01)


if __name__ == "__main__":
    unittest.main()
