// Package apigw is the transport: it turns events of an API Gateway HTTP API
// (payload format 2.0) into requests, finds their handlers, and writes answers
// and errors. It knows no step of the engine.
//
//	event -> Request -> Route.Handler -> Response or error -> event
//
// problem.go is the only place where an error becomes a status.
package apigw
