package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// network is a network namespace that is joined to the machine by one link. Its
// addresses are of the range that is kept for tests of network devices (RFC 2544).
type network struct {
	name, outer, inner string
	addresses          addresses
	nat                bool
	forward            string // what ip_forward was, if it was changed
}

const forwardFile = "/proc/sys/net/ipv4/ip_forward"

// addresses are those of the two ends of the link, and their subnet.
type addresses struct{ outer, inner, subnet string }

// addressesFor picks one of the 32768 subnets of 198.18.0.0/15, so that two checks on
// one machine don't meet.
func addressesFor(id int) addresses {
	n := 4 * (id % 32768)
	at := func(i int) string { return fmt.Sprintf("198.%d.%d.%d", 18+n>>16, n>>8&255, n&255+i) }
	return addresses{at(1), at(2), at(0) + "/30"}
}

// newNetwork makes the namespace and the link.
func newNetwork(ctx context.Context) (*network, error) {
	if _, err := exec.LookPath("ip"); err != nil {
		return nil, errors.New("the program ip is not installed")
	}
	id := os.Getpid()
	n := &network{name: fmt.Sprintf("tierwise-%d", id), outer: fmt.Sprintf("tw%do", id), inner: fmt.Sprintf("tw%di", id),
		addresses: addressesFor(id)}
	if err := command(ctx, "ip", "netns", "add", n.name); err != nil {
		return nil, err
	}
	for _, step := range [][]string{
		{"link", "add", n.outer, "type", "veth", "peer", "name", n.inner, "netns", n.name},
		{"addr", "add", n.addresses.outer + "/30", "dev", n.outer},
		{"link", "set", n.outer, "up"},
		{"-n", n.name, "addr", "add", n.addresses.inner + "/30", "dev", n.inner},
		{"-n", n.name, "link", "set", n.inner, "up"},
		{"-n", n.name, "link", "set", "lo", "up"},
		{"-n", n.name, "route", "add", "default", "via", n.addresses.outer},
	} {
		if err := command(ctx, "ip", step...); err != nil {
			n.remove()
			return nil, err
		}
	}
	n.openToOutside(ctx)
	return n, nil
}

// openToOutside lets the namespace reach what the machine reaches, where there is a
// program for it. Without, only the machine itself can be reached.
func (n *network) openToOutside(ctx context.Context) {
	if command(ctx, "iptables", "-t", "nat", "-A", "POSTROUTING", "-s", n.addresses.subnet, "-j", "MASQUERADE") != nil {
		return
	}
	n.nat = true
	forward, err := os.ReadFile(forwardFile)
	if err == nil && strings.TrimSpace(string(forward)) == "0" && os.WriteFile(forwardFile, []byte("1"), 0o644) == nil {
		n.forward = "0"
	}
}

// setLink cuts or mends the link.
func (n *network) setLink(up bool) error {
	return command(context.Background(), "ip", "link", "set", n.outer, map[bool]string{true: "up", false: "down"}[up])
}

// remove undoes everything. It must work also when the check was interrupted.
func (n *network) remove() {
	ctx := context.Background()
	if n.nat {
		command(ctx, "iptables", "-t", "nat", "-D", "POSTROUTING", "-s", n.addresses.subnet, "-j", "MASQUERADE")
	}
	if n.forward != "" {
		os.WriteFile(forwardFile, []byte(n.forward), 0o644)
	}
	command(ctx, "ip", "link", "del", n.outer)
	command(ctx, "ip", "netns", "del", n.name)
}

// run runs a command in the namespace, and ends it and its children with the context.
func (n *network) run(ctx context.Context, line string, output io.Writer) error {
	cmd := exec.CommandContext(ctx, "ip", "netns", "exec", n.name, "sh", "-c", line)
	cmd.Env = append(os.Environ(), "TIERWISE_HOST="+n.addresses.outer)
	return runGroup(cmd, output)
}

// runGroup runs a command in a process group of its own, which ends with the context.
func runGroup(cmd *exec.Cmd, output io.Writer) error {
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second // for output of children that left the group
	return cmd.Run()
}

// command runs a short command; the error holds what it said.
func command(ctx context.Context, name string, args ...string) error {
	output, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %s: %w", name, strings.Join(args, " "), strings.TrimSpace(string(output)), err)
	}
	return nil
}
