"""Runs LocalStack as a process of this machine, without Docker.

cloud.go starts this file, with LocalStack's own settings in the environment, and these two:

    RANCH_DYNAMODB   host:port of the DynamoDB for LocalStack
    RANCH_EMULATOR   the program that runs arm64 binaries; empty on an arm64 machine

LocalStack 4 has settings for most of what differs outside its Docker image. This file replaces parts that no setting
changes: LocalStack's address, its DynamoDB, and the executor of functions; deletions with a stack; updates of versions,
aliases, schedules and alarms; conditions, and some settings of functions and tables.
"""

import functools
import os
import sys
import types

from localstack.runtime import main
from localstack.runtime.server import twisted
from localstack.services.cloudformation.engine.v2 import change_set_model_executor
from localstack.services.cloudformation.engine.v2.change_set_model import Nothing, is_nothing
from localstack.services.cloudformation.engine.v2.change_set_model_preproc import ChangeSetModelPreproc
from localstack.services.cloudformation.engine.validations import ValidationError
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent, ResourceRequest
from localstack.services.cloudwatch.resource_providers.aws_cloudwatch_alarm import CloudWatchAlarmProvider
from localstack.services.dynamodb.resource_providers.aws_dynamodb_table import DynamoDBTableProvider
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.lambda_.invocation import runtime_executor
from localstack.services.lambda_.resource_providers.aws_lambda_function import LambdaFunctionProvider
from localstack.services.lambda_.resource_providers.aws_lambda_version import LambdaVersionProvider
from localstack.services.lambda_.resource_providers.lambda_alias import LambdaAliasProvider
from localstack.utils.threads import FuncThread, start_thread

from executor import ProcessExecutor


def listen_on_loopback() -> None:
    """LocalStack uses only the port of GATEWAY_LISTEN, and listens on all addresses of the machine."""
    everywhere = twisted.endpoints.TCP4ServerEndpoint
    twisted.endpoints.TCP4ServerEndpoint = functools.partial(everywhere, interface="127.0.0.1")


def use_running_dynamodb(address: str) -> None:
    """Without this, LocalStack would download DynamoDB Local and Java."""
    host, port = address.rsplit(":", 1)
    server = DynamodbServer(int(port), host)

    def nothing_to_start(_: DynamodbServer) -> FuncThread:
        return start_thread(lambda *_: None, name="dynamodb-is-running")

    DynamodbServer.do_start_thread = nothing_to_start
    DynamodbServer.stop_dynamodb = lambda _: None
    DynamodbServer.get = staticmethod(lambda: server)


def run_functions_as_processes() -> None:
    """LocalStack finds executors by the entry points of installed packages; this file has none."""
    runtime_executor.get_runtime_executor = lambda: ProcessExecutor


class Kept:
    """Equals each deletion policy that keeps a resource when its stack is deleted."""

    def __eq__(self, policy: object) -> bool:
        return policy in ("Retain", "RetainExceptOnCreate")


def keep_what_is_retained_except_on_create() -> None:
    """LocalStack accepts the policy RetainExceptOnCreate, but deletes the resource with its stack."""
    change_set_model_executor.DeletionPolicy = types.SimpleNamespace(Retain=Kept())


def publish_a_version_for_another_description() -> None:
    """A new description replaces a version, as on AWS. LocalStack compares only the function's name, which to LocalStack is
    a new name after any change of the function."""
    LambdaVersionProvider.SCHEMA["createOnlyProperties"] = ["/properties/Description"]


def move_aliases() -> None:
    """LocalStack cannot update an alias, but reports a success."""

    def update(_: LambdaAliasProvider, request: ResourceRequest) -> ProgressEvent:
        model = request.previous_state | request.desired_state
        alias = request.aws_client_factory.lambda_.update_alias(
            FunctionName=model["FunctionName"], Name=model["Name"], FunctionVersion=model["FunctionVersion"],
        )
        model["Id"] = alias["AliasArn"]
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model)

    LambdaAliasProvider.update = update
    LambdaAliasProvider.SCHEMA["createOnlyProperties"] = []


def reserve_concurrency() -> None:
    """LocalStack can reserve concurrency, but ignores the template's. An update changes a reservation only if the template's
    changes, so a reservation by hand stays. 0 reserves none, as in template.yaml, whose condition compares with "0"."""

    def reserving(do):
        def done(self: LambdaFunctionProvider, request: ResourceRequest) -> ProgressEvent:
            event = do(self, request)
            before, after = (int((state or {}).get("ReservedConcurrentExecutions") or 0) for state in (request.previous_state, request.desired_state))
            if event.status == OperationStatus.SUCCESS and before != after:
                client, name = request.aws_client_factory.lambda_, event.resource_model["FunctionName"]
                if after:
                    client.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=after)
                else:
                    client.delete_function_concurrency(FunctionName=name)
            return event

        return done

    LambdaFunctionProvider.create = reserving(LambdaFunctionProvider.create)
    LambdaFunctionProvider.update = reserving(LambdaFunctionProvider.update)


def update_alarms() -> None:
    """LocalStack cannot update an alarm, but reports a success. Creating an alarm replaces the alarm of the same name."""

    def update(self: CloudWatchAlarmProvider, request: ResourceRequest) -> ProgressEvent:
        request.desired_state["AlarmName"] = request.previous_state["AlarmName"]
        return self.create(request)

    CloudWatchAlarmProvider.update = update


def protect_tables() -> None:
    """LocalStack can protect a table (recovery, deletion), but ignores these properties of a template's table."""
    create = DynamoDBTableProvider.create

    def protecting(self: DynamoDBTableProvider, request: ResourceRequest) -> ProgressEvent:
        event = create(self, request)
        if event.status == OperationStatus.SUCCESS:
            client, table = request.aws_client_factory.dynamodb, event.resource_model
            client.update_continuous_backups(
                TableName=table["TableName"], PointInTimeRecoverySpecification=table["PointInTimeRecoverySpecification"],
            )
            client.update_table(TableName=table["TableName"], DeletionProtectionEnabled=table["DeletionProtectionEnabled"])
        return event

    DynamoDBTableProvider.create = protecting


def leave_out_attributes_with_their_resource() -> None:
    """If an update changes a condition, LocalStack resolves both branches of an !If before and after the update. It refuses
    a branch that names a resource which does not exist on that side."""
    resolve = ChangeSetModelPreproc._resolve_attribute

    def resolve_if_there(self: ChangeSetModelPreproc, arguments: str | list[str], select_before: bool) -> object:
        try:
            return resolve(self, arguments, select_before)
        except ValidationError:
            name = arguments.split(".")[0] if isinstance(arguments, str) else arguments[0]
            resource = self._get_node_resource_for(name, self._change_set.update_model.node_template)
            if is_nothing(resource.condition_reference):
                raise
            return Nothing

    ChangeSetModelPreproc._resolve_attribute = resolve_if_there


def keep_schedules() -> None:
    """LocalStack stores schedules without running them, and imports the package crontab, which an empty module replaces
    here. LocalStack cannot update a schedule."""
    sys.modules["crontab"] = types.SimpleNamespace(CronTab=None)
    from localstack.services.scheduler.resource_providers.aws_scheduler_schedule import SchedulerScheduleProvider

    def update(_: SchedulerScheduleProvider, request: ResourceRequest) -> ProgressEvent:
        model = request.previous_state | request.desired_state
        names = ("FlexibleTimeWindow", "Name", "ScheduleExpression", "State", "Target")
        request.aws_client_factory.scheduler.update_schedule(**{name: model[name] for name in names})
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model)

    SchedulerScheduleProvider.update = update


listen_on_loopback()
use_running_dynamodb(os.environ["RANCH_DYNAMODB"])
run_functions_as_processes()
keep_what_is_retained_except_on_create()
publish_a_version_for_another_description()
move_aliases()
leave_out_attributes_with_their_resource()
keep_schedules()
reserve_concurrency()
update_alarms()
protect_tables()
main.main()
