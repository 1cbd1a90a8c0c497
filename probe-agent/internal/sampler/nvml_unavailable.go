//go:build !linux || !cgo

package sampler

import "time"

// NVML stands for the library where it can't be called: without cgo, and off Linux.
type NVML struct{}

// NewNVML is a source that never opens.
func NewNVML(string) *NVML { return &NVML{} }

// Open always fails.
func (*NVML) Open() Code { return CodeLibraryNotFound }

// Close does nothing.
func (*NVML) Close() {}

// Versions are unknown.
func (*NVML) Versions() Versions {
	none := Failed[string](CodeLibraryNotFound)
	return Versions{none, none, none}
}

// DeviceCount fails.
func (*NVML) DeviceCount() Value[int] { return Failed[int](CodeLibraryNotFound) }

// Text fails.
func (*NVML) Text(int, Property) Value[string] { return Failed[string](CodeLibraryNotFound) }

// Read fails.
func (*NVML) Read(int, Quantity) Value[float64] { return Failed[float64](CodeLibraryNotFound) }

// ReadFields fails.
func (*NVML) ReadFields(_ int, fields []Quantity) []Value[float64] {
	return failedFields(len(fields), CodeLibraryNotFound)
}

// Links fails.
func (*NVML) Links(int) Value[[]Link] { return Failed[[]Link](CodeLibraryNotFound) }

// Path fails.
func (*NVML) Path(int, int) Path { return Path{} }

// GPM fails.
func (*NVML) GPM(int) Value[GPM] { return Failed[GPM](CodeLibraryNotFound) }

// NextEvent fails.
func (*NVML) NextEvent(time.Duration) Value[Event] { return Failed[Event](CodeLibraryNotFound) }
