// Package metrics shows the newest readings to Prometheus, at an endpoint or as a
// textfile. Names are gpuprobe_*, in base units; what is unknown is absent. Metric and
// label names come from the tables here alone, never from a driver.
package metrics
