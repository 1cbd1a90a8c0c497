// Package spot says what interruptions do to a stage that runs on spot
// instances: how often they come, how often to checkpoint, and how much time
// they cost, expected and at the 95th percentile. It knows time, not prices.
package spot
