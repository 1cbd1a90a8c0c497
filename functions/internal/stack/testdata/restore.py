"""Restore a table as the runbook does: as it is now, into a new table."""

import datetime
import sys

import boto3

endpoint, source, target = sys.argv[1:]
client = boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
# The template enables it, which moto's CloudFormation passes over.
client.update_continuous_backups(TableName=source, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
client.restore_table_to_point_in_time(
    SourceTableName=source, TargetTableName=target, RestoreDateTime=datetime.datetime.now(datetime.timezone.utc)
)
