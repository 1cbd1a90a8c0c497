package main

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/probe-agent/internal/agent"
	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
)

// A usageError says that the command line is wrong.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text + " (-h lists the flags)" }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// An outcome ends a command that did its work with a code other than 0. Its output has
// said why.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// exitCode is the one table of errors and exit codes.
func exitCode(err error) int {
	var code outcome
	var wrong *usageError
	var driver *agent.DriverError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &wrong):
		return exitUsage
	case errors.As(err, &driver), errors.Is(err, agent.ErrNoGPUs):
		return exitNoDriver
	case errors.Is(err, upload.ErrRevoked), errors.Is(err, identity.ErrNotEnrolled), errors.Is(err, identity.ErrCloned):
		return exitNotEnrolled
	case errors.Is(err, upload.ErrUnsent):
		return exitUnsent
	}
	return exitFailed
}

// complaint is what is said of an error; nothing where the output has said it.
func complaint(err error) string {
	var code outcome
	if err == nil || errors.As(err, &code) {
		return ""
	}
	return err.Error()
}
