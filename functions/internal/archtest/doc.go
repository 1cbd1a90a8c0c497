// Package archtest holds the structure of this repository as tests.
//
// A decision that only a document records is broken by the first hurried change, and nobody notices. Here each decision
// is a row of a table with the reason for it: who may import whom (layers, bans), which calls belong to one place
// (references), what a file may weigh (limits), what must carry a comment, and what the top level holds. A row that fails
// names the file, the line and the figure, and says why the rule exists.
//
// To add a package, give it a row in layers: a package without one fails. To add a rule, add a row and a fixture that
// breaks it to violations_test.go: a rule that has never been seen failing fails too.
//
// The rules read syntax, never build output, so a file under any build constraint counts, and they hold for non-test files
// unless the row says otherwise. Imports are not loaded: what a rule knows of another module is its import path.
package archtest
