// Package observe is what an operator sees of a Lambda function: one line of JSON for
// each request and each run of a schedule, which CloudWatch reads as metrics too.
//
// A line has the ids of the request, the route's pattern, the status and the catalogue's
// version. It never has a body, a query, a header, a path as a client sent it, or a
// tenant; only what is stored and can't be read is named, so that someone can mend it.
// Lines whose message has a row in the table of metrics carry the member _aws of the
// embedded metric format
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html,
// read 2026-11-30).
package observe
