// Package workload reads how fast the user's own program is, in the program's own
// words: from a file, standard input, a local HTTP endpoint, or the output of a command.
// Of all that it reads it keeps numbers only.
package workload
