package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/verify"
)

// faultClient is a job that needs the network: it asks a server at a port of the host
// for one step after another, and tries again when the network fails.
func faultClient(port string) {
	address := net.JoinHostPort(os.Getenv("TIERWISE_HOST"), port)
	for step := 1; ; {
		conn, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			continue
		}
		for answers := bufio.NewScanner(conn); ; step++ {
			conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
			fmt.Fprintln(conn, "next")
			if !answers.Scan() {
				break
			}
			fmt.Println("step", step)
		}
		conn.Close()
	}
}

// answerSteps answers each line after a moment, as a server with work to do.
func answerSteps(t *testing.T) string {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				pace := time.NewTicker(50 * time.Millisecond)
				defer pace.Stop()
				for lines := bufio.NewScanner(conn); lines.Scan(); <-pace.C {
					fmt.Fprintln(conn, "ok")
				}
			}()
		}
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// The second of the three steps, with a real link that is cut. Without the rights for
// it the check is skipped, and says why.
func TestNetworkFaultOnARealLink(t *testing.T) {
	r := bare(t)
	r.env = []string{"PROBE_AGENT_MAIN=1"}
	job := "PROBE_AGENT_MAIN= PROBE_AGENT_CLIENT=" + answerSteps(t) + " " + os.Args[0]
	type outcome struct{ Checks []verify.Check }
	got := decode[outcome](t, r.run("verify", "--output", "json", "--fault", job, "--cut", "2s", "--recover", "20s"))
	var check verify.Check
	for _, c := range got.Checks {
		if c.ID == "network_fault" {
			check = c
		}
	}
	if !mayMakeNetworks() {
		if check.Status != verify.Skip || check.Evidence == "" {
			t.Errorf("without rights: %+v", check)
		}
		return
	}
	if check.Status != verify.Pass || check.Value == nil || *check.Value > 10 {
		t.Errorf("got %+v", check)
	}
	if left, err := exec.Command("ip", "netns", "list").Output(); err != nil || strings.Contains(string(left), "tierwise-") {
		t.Errorf("left over: %s (%v)", left, err)
	}
}

// mayMakeNetworks reports whether a network namespace can be made here.
func mayMakeNetworks() bool {
	const name = "tierwise-trial"
	if exec.Command("ip", "netns", "add", name).Run() != nil {
		return false
	}
	return exec.Command("ip", "netns", "del", name).Run() == nil
}
