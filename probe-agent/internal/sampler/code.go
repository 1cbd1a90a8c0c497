package sampler

import "fmt"

// Code is an NVML return code, the number that the driver answers a call with.
// Texts come from this package alone: NVML's own function for them calls into the
// driver, and has crashed processes.
type Code int32

// The codes that decide something here.
const (
	CodeSuccess          Code = 0
	CodeUninitialized    Code = 1
	CodeInvalidArgument  Code = 2
	CodeNotSupported     Code = 3
	CodeNoPermission     Code = 4
	CodeNotFound         Code = 6
	CodeDriverNotLoaded  Code = 9
	CodeTimeout          Code = 10
	CodeLibraryNotFound  Code = 12
	CodeFunctionNotFound Code = 13
	CodeGPULost          Code = 15
	CodeResetRequired    Code = 16
	CodeVersionMismatch  Code = 18
	CodeUnknown          Code = 999
)

var codeTexts = map[Code]string{
	CodeSuccess: "success", CodeUninitialized: "not initialised", CodeInvalidArgument: "invalid argument",
	CodeNotSupported: "not supported by this device", CodeNoPermission: "no permission", CodeNotFound: "not found",
	CodeDriverNotLoaded: "the kernel driver is not loaded", CodeTimeout: "no answer in time",
	CodeLibraryNotFound:  "libnvidia-ml.so.1 is not found",
	CodeFunctionNotFound: "this driver's library lacks the function", CodeGPULost: "the GPU has fallen off the bus",
	CodeResetRequired:   "the GPU needs a reset",
	CodeVersionMismatch: "the library and the kernel driver are of different versions (was the driver upgraded?)",
	CodeUnknown:         "unknown error",
}

// String is the code in words and as a number.
func (c Code) String() string {
	if text, ok := codeTexts[c]; ok {
		return fmt.Sprintf("%s (NVML code %d)", text, int32(c))
	}
	return fmt.Sprintf("NVML code %d", int32(c))
}

// Fatal reports whether nothing more can be had from the library as it is: the
// process must load it anew, which means starting again.
func (c Code) Fatal() bool {
	return c == CodeUninitialized || c == CodeDriverNotLoaded || c == CodeVersionMismatch || c == CodeLibraryNotFound
}

// State classifies the code.
func (c Code) State() State {
	switch c {
	case CodeSuccess:
		return StateOK
	case CodeNotSupported:
		return StateNotSupported
	case CodeNoPermission:
		return StateNoPermission
	case CodeFunctionNotFound:
		return StateFunctionNotFound
	case CodeNotFound:
		return StateNotFound
	case CodeGPULost:
		return StateGPULost
	case CodeResetRequired:
		return StateResetRequired
	case CodeTimeout:
		return StateTimeout
	}
	return StateError
}
