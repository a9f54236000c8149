"""Prints, as JSON, the CloudFormation template that AWS makes of a SAM template.

    transform.py TEMPLATE [PARAMETER=VALUE ...]

It is done by aws-sam-translator, which is AWS's own and comes with the SAM CLI. The functions' code, which sam deploy
uploads first, stands nowhere yet. AWS hands a CommaDelimitedList to the translator as a list.
"""

import json
import sys

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """No function of ours has a policy of AWS's."""

    def load(self) -> dict[str, str]:
        return {}


def values(parameters: dict, given: dict[str, str]) -> dict:
    """The parameters' values: those given, or else their defaults."""
    values = {}
    for name, parameter in parameters.items():
        value = given.get(name, parameter["Default"])
        values[name] = value.split(",") if parameter["Type"] == "CommaDelimitedList" else value
    return values


with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
template["Globals"]["Function"]["CodeUri"] = "s3://code/uploaded"
given = dict(argument.split("=", 1) for argument in sys.argv[2:])
json.dump(transform(template, values(template["Parameters"], given), NoManagedPolicies()), sys.stdout)
