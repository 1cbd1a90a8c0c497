// Package sampler reads what a GPU's driver knows: raw names and counters, in the
// driver's units, without judging them.
//
// Source is NVML as far as this program uses it, and has three backends: NVML
// itself (linux with cgo), Replay of a recorded or written scenario, and, in tests,
// NVML over a small library made of C. Three rules hold for all of them:
//
//   - A reading that failed has no number. It has a State, and Value lets nobody take
//     a zero for an answer.
//   - A symbol that the driver's library lacks is never called: it would end the
//     process with "symbol lookup error", and no recover can stop that.
//   - Every call has a deadline (Guard). A call that hangs can't be cancelled, so
//     nothing else is asked of that device until it returns, and the other devices
//     are read on time.
//
// A Poller reads every device of a machine once per tick; Survey reads what changes
// rarely.
package sampler
