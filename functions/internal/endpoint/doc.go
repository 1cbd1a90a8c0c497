// Package endpoint is the handlers of the API: one file for each path, used by
// the Lambda functions and by the local program alike. A handler reads a request
// with package convert, asks the engine, and writes its answer.
package endpoint
