// Package fetch opens the documents of feeds: over HTTP, asking only for what
// has changed and trying again where that can help, or from files instead.
//
// A credential travels in a header. No error and no log line carries a header, a
// query or a body.
package fetch
