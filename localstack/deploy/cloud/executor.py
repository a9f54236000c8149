"""Runs Lambda functions as processes of this machine: LocalStack has an executor for Docker containers only."""

import json
import os
import subprocess
import threading
import time

from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import LambdaRuntimeException, RuntimeExecutor

from runtimeapi import Failure, RuntimeAPI

LOOPBACK = "127.0.0.1"
START_SECONDS = 10  # as on AWS


class ProcessExecutor(RuntimeExecutor):
    """One execution environment: a process that runs a function's bootstrap, with its own Runtime API.

    LocalStack gives it one invocation at a time. If the process ends or times out, the next invocation starts another
    process, as on AWS.
    """

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id, function_version)
        self.environment: dict[str, str] = {}
        self.process: subprocess.Popen | None = None
        self.runtime: RuntimeAPI | None = None
        self.lines: list[str] = []

    def start(self, env_vars: dict[str, str]) -> None:
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "en_US.UTF-8"}
        self.environment |= {name: str(value) for name, value in env_vars.items()}
        self._start_process()

    def _start_process(self) -> None:
        folder = self.function_version.config.code.get_unzipped_code_location()
        self.runtime = RuntimeAPI()
        environment = self.environment | {"AWS_LAMBDA_RUNTIME_API": self.runtime.address}
        # The process stays in LocalStack's process group, so it ends with the group.
        self.process = subprocess.Popen(
            [*self._emulator(), folder / "bootstrap"],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        threading.Thread(target=self._watch, args=(self.process, self.runtime), daemon=True).start()
        try:
            self.runtime.await_start(START_SECONDS)
        except Failure as failure:
            self.stop()
            raise LambdaRuntimeException(f"{failure}: {self.get_logs()}") from failure

    def _emulator(self) -> list[str]:
        """Returns the emulator as a list, for an arm64 function on another processor. Otherwise the list is empty."""
        emulator = os.environ["RANCH_EMULATOR"]
        return [emulator] if emulator and self.function_version.config.architectures == ["arm64"] else []

    def _watch(self, process: subprocess.Popen, runtime: RuntimeAPI) -> None:
        """Keeps the output of the process, and reports its end."""
        for line in process.stdout:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))
        runtime.ended(process.wait())

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.runtime.close()
        self.process = None

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        if self.process is not None and self.process.poll() is not None:
            self.stop()
        if self.process is None:
            self._start_process()
        before, seconds = len(self.lines), self.function_version.config.timeout
        request = payload["invoke-id"]
        try:
            body, failed = self.runtime.invoke(
                request, payload["payload"].encode(), payload["invoked-function-arn"], payload["trace-id"],
                time.time() + seconds,
            )
        except Failure as failure:  # the process has ended, or must end
            self.stop()
            body, failed = json.dumps({"errorMessage": f"RequestId: {request} {failure}"}).encode(), True
        return InvocationResult(request, body, is_error=failed, logs="\n".join(self.lines[before:]))

    def get_address(self) -> str:
        return LOOPBACK

    def get_endpoint_from_executor(self) -> str:
        return LOOPBACK

    def get_runtime_endpoint(self) -> str:
        return ""  # for LocalStack's own program in a container

    def get_logs(self) -> str:
        return "\n".join(self.lines)

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        pass
