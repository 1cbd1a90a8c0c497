package sampler

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// State says what became of one reading.
type State uint8

// The states. The zero State is that of a value that nobody has read or that the
// device does not have.
const (
	StateNotSupported State = iota
	StateOK
	StateNoPermission
	StateFunctionNotFound
	StateNotFound
	StateGPULost
	StateResetRequired
	StateTimeout
	StateError // also a value that cannot be: 255 degrees, more memory used than there is
)

var stateNames = [...]string{"not_supported", "ok", "no_permission", "function_not_found", "not_found", "gpu_lost",
	"reset_required", "timeout", "error"}

// String is the state's name on the wire.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return stateNames[StateError]
}

// ParseState reads a state's name.
func ParseState(name string) (State, error) {
	for i, n := range stateNames {
		if n == name {
			return State(i), nil
		}
	}
	return 0, fmt.Errorf("unknown state %q", name)
}

// stateCodes are the codes that stand for a state where only the state is known.
var stateCodes = [...]Code{CodeNotSupported, CodeSuccess, CodeNoPermission, CodeFunctionNotFound, CodeNotFound, CodeGPULost,
	CodeResetRequired, CodeTimeout, CodeUnknown}

// Value is one reading: what was read, or why there is nothing. There is no way to
// get a number out of a reading that failed. The zero Value is not supported.
type Value[T any] struct {
	value T
	state State
	code  Code
}

// Of is a reading that succeeded.
func Of[T any](value T) Value[T] { return Value[T]{value: value, state: StateOK} }

// Failed is a reading that ended with a code other than success.
func Failed[T any](code Code) Value[T] {
	if code == CodeSuccess {
		code = CodeUnknown
	}
	return Value[T]{state: code.State(), code: code}
}

// Get returns what was read, and whether anything was.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == StateOK }

// OK reports whether the reading succeeded.
func (v Value[T]) OK() bool { return v.state == StateOK }

// State says what became of the reading.
func (v Value[T]) State() State { return v.state }

// Code is the code behind the state.
func (v Value[T]) Code() Code {
	if v.state == StateNotSupported {
		return CodeNotSupported
	}
	return v.code
}

// MarshalJSON writes the value itself, or {"state": "..."}.
func (v Value[T]) MarshalJSON() ([]byte, error) {
	if v.state == StateOK {
		return json.Marshal(v.value)
	}
	return fmt.Appendf(nil, `{"state":%q}`, v.state), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var failed struct {
			State *string `json:"state"`
		}
		if err := json.Unmarshal(text, &failed); err == nil && failed.State != nil {
			return v.setState(*failed.State)
		}
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	*v = Of(value)
	return nil
}

func (v *Value[T]) setState(name string) error {
	state, err := ParseState(name)
	if err != nil {
		return err
	}
	if state == StateOK {
		return fmt.Errorf("state %q without a value", name)
	}
	*v = Failed[T](stateCodes[state])
	return nil
}
