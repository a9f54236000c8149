"""Prints what parliament and cloudsplaining find in the policies of templates, and ends with 1 if they find anything.

    audit.py TEMPLATE.json ...

parliament reads every policy. cloudsplaining reads managed policies, which are those of people and the boundary, and
knows which of their rights lead to others. An excuse has its reason.
"""

import json
import re
import sys

from cloudsplaining.scan.policy_document import PolicyDocument
from parliament import analyze_policy_string

EXCUSES = {  # of a kind of finding, in one policy or, with "", in all
    ("NO_VERSION", ""): "only variables in a policy need its version, and functions' policies have none",
    ("INVALID_ARN", "Deployers"): "AWS documents this ARN of its transformation",
    ("RESOURCE_MISMATCH", "Deployment"): "of service:*, actions on other resources stay denied",
    ("RESOURCE_STAR", "Deployment"): "AWS chooses the ids of these resources",
    ("RESOURCE_STAR", "OnCall"): "read only; AWS chooses the ids of queries, and alarms are in another stack",
}

NAMES = {"AWS::Partition": "aws", "AWS::Region": "us-east-1", "AWS::AccountId": "123456789012", "AWS::StackName": "ranch-test"}
ARNS = {
    "AWS::DynamoDB::Table": "dynamodb:us-east-1:123456789012:table/ranch-test-Table",
    "AWS::Logs::LogGroup": "logs:us-east-1:123456789012:log-group:/ranch-test/functions:*",
    "AWS::Lambda::Alias": "lambda:us-east-1:123456789012:function:ranch-test-F:live",
    "AWS::Lambda::Function": "lambda:us-east-1:123456789012:function:ranch-test-F",
    "AWS::IAM::Role": "iam::123456789012:role/ranch-test-Role",
    "AWS::SecretsManager::Secret": "secretsmanager:us-east-1:123456789012:secret:ranch-test-keys-abc123",
}


def resolved(value, resources: dict):
    """Returns a value with its references replaced by names and ARNs like those of a stack."""
    if isinstance(value, list):
        return [item for item in (resolved(item, resources) for item in value) if item is not None]
    if not isinstance(value, dict):
        return value
    name, argument = next(iter(value.items()), ("", None))
    of = argument.split(".")[0] if isinstance(argument, str) else argument[0] if isinstance(argument, list) and argument else ""
    kind = resources.get(of, {}).get("Type") if isinstance(of, str) else None
    match name:
        case "Ref" if argument == "AWS::NoValue":
            return None
        case "Ref" | "Fn::GetAtt" if kind in ARNS and (name != "Ref" or kind in ("AWS::Lambda::Alias", "AWS::SecretsManager::Secret")):
            return "arn:aws:" + ARNS[kind]
        case "Ref":
            return NAMES.get(argument, "ranch-test")
        case "Fn::If":
            return resolved(argument[1], resources)
        case "Fn::Sub":
            text, own = argument if isinstance(argument, list) else (argument, {})
            found = {**NAMES, **{key: resolved(item, resources) for key, item in own.items()}}
            return re.sub(r"\$\{([^}]*)\}", lambda match: str(found.get(match[1], "ranch-test")), text)
        case "Fn::Select" | "Fn::Split":
            return "bucket/ca.pem"
    return {key: resolved(item, resources) for key, item in value.items()}


def policies(template: dict):
    """Yields the name of each policy of a template, whether it is a managed policy, and its document."""
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::IAM::ManagedPolicy":
            yield name, True, properties["PolicyDocument"]
        for policy in properties.get("Policies", []) if resource["Type"] == "AWS::IAM::Role" else []:
            yield name, False, policy["PolicyDocument"]


def findings(document: dict, managed: bool):
    """Yields what the tools find in a document, each as a kind and a text."""
    for finding in analyze_policy_string(json.dumps(document)).findings:
        yield finding.issue, str(finding.detail)
    if managed:
        policy = PolicyDocument(document)
        yield from (("escalation", found["type"]) for found in policy.allows_privilege_escalation)
        yield from (("exfiltration", action) for action in policy.allows_data_exfiltration_actions)
        yield from (("permissions", action) for action in policy.permissions_management_without_constraints)
        yield from (("credentials", action) for action in policy.credentials_exposure)
        yield from (("wildcard", action) for action in policy.service_wildcard)
        yield from (("modification", action) for action in policy.infrastructure_modification)


failed, used = False, set()
for path in sys.argv[1:]:
    with open(path) as file:
        template = json.load(file)
    for name, managed, document in policies(template):
        for kind, text in findings(resolved(document, template["Resources"]), managed):
            excuses = [excuse for excuse in ((kind, name), (kind, "")) if excuse in EXCUSES]
            used.update(excuses)
            if not excuses:
                failed = True
                print(f"{path}: {name}: {kind}: {text}", file=sys.stderr)
for excuse in EXCUSES.keys() - used:
    failed = True
    print(f"audit.py: nothing needs the excuse {excuse}", file=sys.stderr)
sys.exit(failed)
