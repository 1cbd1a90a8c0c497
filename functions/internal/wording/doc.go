// Package wording turns messages into texts in the language of the request. A message
// is named by its English format; its arguments are put into the format of the
// language. Arguments that are words themselves ("spot", "train") are messages too and
// are translated by whoever passes them.
//
// A message that a language lacks is said in English: a test finds those that the
// code names and the table does not have.
package wording
