"""Print template.yaml as the CloudFormation that SAM makes of it."""

import json
import sys

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    def load(self):
        return {}


with open(sys.argv[1]) as file:
    template = yaml_parse(file)
# "sam package" would upload the code and write its address here.
template["Globals"]["Function"]["CodeUri"] = "s3://code/function.zip"
json.dump(transform(template, {}, NoManagedPolicies()), sys.stdout)
