package stack_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// wholeCPU is the memory at which Lambda gives a function one vCPU, in MB; less memory
// gets its share (https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html,
// read 2026-11-30).
const wholeCPU = 1769

// period is how often a quota is given anew, in microseconds: the shorter, the less a
// start can run ahead of its share.
const period = 20_000

// quota is a control group whose processes share a part of one processor.
type quota struct {
	folder, tasks string
	how           string // for the table
}

// newQuota makes a control group with the share of a memory size; nil if this machine
// does not permit that.
func newQuota(t *testing.T, memoryMB int) *quota {
	t.Helper()
	share := strconv.Itoa(period * memoryMB / wholeCPU)
	name := fmt.Sprintf("tierwise-%d-%d", os.Getpid(), memoryMB)
	for _, kind := range []struct {
		at, tasks, how string
		settings       [][2]string
	}{
		{"/sys/fs/cgroup", "cgroup.procs", "cgroup v2, cpu.max", [][2]string{{"cpu.max", share + " " + strconv.Itoa(period)}}},
		{"/sys/fs/cgroup/cpu", "tasks", "cgroup v1, cpu.cfs_quota_us", [][2]string{{"cpu.cfs_period_us", strconv.Itoa(period)}, {"cpu.cfs_quota_us", share}}},
	} {
		q := &quota{folder: filepath.Join(kind.at, name), how: kind.how}
		q.tasks = filepath.Join(q.folder, kind.tasks)
		if os.Mkdir(q.folder, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(q.folder) })
		if q.set(kind.settings) && q.accepts() {
			return q
		}
	}
	return nil
}

// set writes settings that must exist. It reports whether it could.
func (q *quota) set(settings [][2]string) bool {
	for _, s := range settings {
		file := filepath.Join(q.folder, s[0])
		if _, err := os.Stat(file); err != nil {
			return false
		}
		if err := os.WriteFile(file, []byte(s[1]), 0o644); err != nil {
			return false
		}
	}
	return true
}

// accepts reports whether processes can be put into the group.
func (q *quota) accepts() bool {
	f, err := os.OpenFile(q.tasks, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// under is a program that starts another under a quota, or freely if it is nil, and
// leaves its number in a file.
func under(t *testing.T, q *quota, bootstrap string) (program, number string) {
	t.Helper()
	dir := t.TempDir()
	program, number = filepath.Join(dir, "bootstrap"), filepath.Join(dir, "number")
	script := "#!/bin/sh\necho $$ >" + number + "\n"
	if q != nil {
		script += "echo $$ >" + q.tasks + "\n"
	}
	if err := os.WriteFile(program, []byte(script+"exec "+bootstrap+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, number
}
