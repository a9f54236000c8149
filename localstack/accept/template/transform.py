"""Prints, as JSON, the CloudFormation template that AWS makes of a SAM template.

    transform.py TEMPLATE [PARAMETER=VALUE ...]

A template without a transformation stays as it is. aws-sam-translator, which comes with the SAM CLI, does the work. Because no code is uploaded, the template names a
bucket that does not exist. As in AWS, the translator gets a CommaDelimitedList as a list.
"""

import json
import sys

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """Has no policies, because no function of the template names a managed policy."""

    def load(self) -> dict[str, str]:
        return {}


def values(parameters: dict, given: dict[str, str]) -> dict:
    """Returns the given values of parameters, or else their defaults."""
    values = {}
    for name, parameter in parameters.items():
        value = given.get(name, parameter["Default"])
        values[name] = value.split(",") if parameter["Type"] == "CommaDelimitedList" else value
    return values


with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
if "Transform" in template:
    template["Globals"]["Function"]["CodeUri"] = "s3://code/uploaded"
    given = dict(argument.split("=", 1) for argument in sys.argv[2:])
    template = transform(template, values(template["Parameters"], given), NoManagedPolicies())
json.dump(template, sys.stdout)
