"""Create a stack of the CloudFormation on standard input at the endpoint and
under the name given, and print its resources: logical id, type and physical id."""

import json
import sys

import boto3

name = sys.argv[2]
cloud = boto3.client("cloudformation", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
cloud.create_stack(StackName=name, TemplateBody=sys.stdin.read(), Capabilities=["CAPABILITY_IAM"])
status = cloud.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
if status != "CREATE_COMPLETE":
    sys.exit(f"the stack is {status}")
resources = cloud.describe_stack_resources(StackName=name)["StackResources"]
json.dump([[r["LogicalResourceId"], r["ResourceType"], r["PhysicalResourceId"]] for r in resources], sys.stdout)
