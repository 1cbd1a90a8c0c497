// Package agent is the loop of the daemon: it waits for the driver, reads every GPU
// once per tick, closes a window every minute and seals a report every hour. All that
// it touches is handed in, the clock included, so that a day can be tested in a moment.
package agent
