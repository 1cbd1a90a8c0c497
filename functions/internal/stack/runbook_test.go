package stack_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/functions/internal/refresh"
)

// desk is where someone operates the stack: tierwise, and the stack's table with a
// witness before it.
type desk struct {
	t       *testing.T
	program string
	table   string
	store   *dynamo.Store
	seen    *witness
	ran     []string // commands as the runbook writes them
}

// operate opens a desk over the table of the template.
func operate(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, program: filepath.Join(t.TempDir(), "tierwise"), table: create(t)["Table"], seen: watch(t)}
	command := exec.CommandContext(t.Context(), "go", "build", "-o", d.program, "./functions/local")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	d.store = dynamo.New(dynamo.Config{Client: api.Connection.Client(), Table: d.table, Now: time.Now, Random: rand.Reader})
	return d
}

// run runs a command of the runbook with what stands for its words in capitals, wants a
// text in what it prints, and returns that.
func (d *desk) run(command, want string, standIns ...string) string {
	d.t.Helper()
	d.ran = append(d.ran, command)
	text := strings.NewReplacer(append(standIns, "TABLE", d.table)...).Replace(command)
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(text))
	run := exec.CommandContext(d.t.Context(), d.program, words[1:]...)
	run.Dir = d.t.TempDir() // no store of this machine
	run.Env = append(os.Environ(), "AWS_ENDPOINT_URL_DYNAMODB="+d.seen.url, "AWS_REGION="+api.Connection.Region,
		"AWS_ACCESS_KEY_ID="+api.Connection.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+api.Connection.SecretAccessKey)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil || !strings.Contains(string(out), want) {
		d.t.Fatalf("%s: %v, want %q in:\n%s%s", text, err, want, out, stderr.Bytes())
	}
	return string(out)
}

// changed publishes another version of what is current.
func (d *desk) changed(version catalog.Version, change func(*catalog.Parts)) catalog.Version {
	d.t.Helper()
	current, err := d.store.Current(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	snapshot, err := d.store.Load(d.t.Context(), current.Version)
	if err != nil {
		d.t.Fatal(err)
	}
	parts := snapshot.Parts()
	parts.Version = version
	change(&parts)
	if snapshot, err = catalog.NewSnapshot(parts); err == nil {
		_, err = d.store.Publish(d.t.Context(), current.Version, snapshot)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return current.Version
}

// Each command of the runbook does what it says there, on the table of the template and
// with what the policy for operators allows.
func TestRunbook(t *testing.T) {
	d := operate(t)
	d.fill()
	d.keys()
	d.rollBack()
	d.quarantine()
	d.boxes()
	d.frozen()
	d.restore()
	runbook, err := os.ReadFile(filepath.Join(root, "functions", "RUNBOOK.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := regexp.MustCompile("tierwise (?:api-key|catalog|import|quarantine|enroll-code|revoke-box|aggregate|coefficients|diff)[^`#]*--table [A-Za-z-]+").FindAllString(string(runbook), -1)
	for _, command := range written {
		if command = strings.Join(strings.Fields(command), " "); !slices.Contains(d.ran, command) {
			t.Errorf("nobody has tried %q", command)
		}
	}
	if len(written) < 9 {
		t.Errorf("the runbook has the commands %q", written)
	}
	d.checkPolicy()
}

// fill lets refresh fill the table, as an operator does after the first deployment.
func (d *desk) fill() {
	from := newPrices(d.t)
	d.t.Setenv(refresh.Variable, "skypilot/lambda@"+from.url)
	refreshing := start(d.t, build(d.t, "refresh"), d.table, api.Connection.Endpoint)
	var done refresh.Done
	refreshing.invoke(d.t, json.RawMessage(`{}`), &done)
	if !done.Published {
		d.t.Fatalf("refresh did %+v", done)
	}
	from.set("A100", "0.01")
	due(d.t, d.store)
	if refreshing.invoke(d.t, json.RawMessage(`{}`), &done); len(done.Feeds) != 1 || done.Feeds[0].Held != 2 {
		d.t.Fatalf("refresh did %+v, want a price held back", done)
	}
}

// keys changes a tenant over to another key.
func (d *desk) keys() {
	const create, list, revoke = "tierwise api-key create acme --label ci-2 --store dynamo --table TABLE",
		"tierwise api-key list --store dynamo --table TABLE", "tierwise api-key revoke acme KEY --store dynamo --table TABLE"
	owner := func(key string) catalog.TenantID {
		tenant, _ := apikey.Tenant(d.t.Context(), d.store, "Bearer "+key)
		return tenant
	}
	first := strings.TrimSpace(d.run(create, "tw_acme_"))
	second := strings.TrimSpace(d.run(create, "tw_acme_"))
	id := strings.Split(first, "_")[2]
	if all := d.run(list, id); strings.Contains(all, first[len(first)-64:]) {
		d.t.Errorf("the list shows a secret: %s", all)
	}
	d.run(revoke, "is revoked", "KEY", id)
	if owner(first) != "" || owner(second) != "acme" {
		d.t.Errorf("the first key is %q's, the second %q's, want nobody's and acme's", owner(first), owner(second))
	}
}

// rollBack makes the version before a bad one current again.
func (d *desk) rollBack() {
	const versions = "tierwise catalog versions --store dynamo --table TABLE"
	good := d.changed("bad", func(*catalog.Parts) {})
	d.run(versions, string(good))
	d.run("tierwise catalog rollback VERSION --store dynamo --table TABLE", "is current", "VERSION", string(good))
	if current, err := d.store.Current(d.t.Context()); err != nil || current.Version != good || !current.RolledBack {
		d.t.Errorf("current is %+v, %v, want %s again", current, err, good)
	}
}

// quarantine lets a price through that was held back.
func (d *desk) quarantine() {
	const list = "tierwise quarantine list --store dynamo --table TABLE"
	rows := d.run(list, "price_drop")
	row := regexp.MustCompile(`(?m)^ *(\S+) .*price_drop`).FindStringSubmatch(rows)
	d.run("tierwise quarantine release ROW --store dynamo --table TABLE", "1 released", "ROW", row[1])
	if rows = d.run(list, "unreadable"); strings.Contains(rows, "price_drop") {
		d.t.Errorf("it is still held:\n%s", rows)
	}
	current, err := d.store.Current(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	snapshot, err := d.store.Load(d.t.Context(), current.Version)
	if err != nil {
		d.t.Fatal(err)
	}
	if !slices.ContainsFunc(snapshot.Offers(), func(o catalog.Offer) bool {
		return o.Provider == "lambda" && o.SKU == "gpu_1x_a100" && o.Price.Amount.Valid && o.Price.Amount.Decimal.String() == "0.01"
	}) {
		d.t.Errorf("version %s does not have the price", current.Version)
	}
}

// boxes lets a box in, and takes nothing more from it.
func (d *desk) boxes() {
	code := strings.TrimSpace(d.run("tierwise enroll-code TENANT --store dynamo --table TABLE", "-", "TENANT", "acme"))
	box := boxtest.New("a box")
	taking := station{d.t, d.store, start(d.t, build(d.t, "measurements"), d.table, api.Connection.Endpoint)}
	taking.ask(event(d.t, "POST /v1/enroll", "", string(box.Enrolment(code, nil))), 200, nil)
	taking.ask(report(d.t, box), 200, nil)
	d.run("tierwise revoke-box BOX --store dynamo --table TABLE", "is revoked", "BOX", box.ID)
	taking.ask(report(d.t, box), 403, nil)
}

// frozen lets a coefficient move again.
func (d *desk) frozen() {
	for n := range 11 { // so that the next publication has something to clear away
		d.changed(catalog.Version(fmt.Sprint("older-", n)), func(*catalog.Parts) {})
	}
	var gpu, provider, sku string
	d.changed("frozen", func(p *catalog.Parts) {
		k := catalog.Coefficient{GPU: "A100-80GB-SXM", Provider: "lambda"}
		if len(p.Coefficients) > 0 {
			k = p.Coefficients[0]
		}
		k.Frozen = true
		p.Coefficients, gpu, provider, sku = []catalog.Coefficient{k}, string(k.GPU), string(k.Provider), string(k.SKU)
	})
	d.run("tierwise aggregate release GPU PROVIDER [SKU] --store dynamo --table TABLE", "Released", "GPU", gpu, "PROVIDER", provider, "SKU", sku)
}

// restore restores the table beside itself: it has the same versions and keys.
func (d *desk) restore() {
	const versions, list = "tierwise catalog versions --store dynamo --table TABLE", "tierwise api-key list --store dynamo --table TABLE"
	python(d.t, nil, "testdata/restore.py", api.Connection.Endpoint, d.table, d.table+"-restored")
	for _, command := range []string{versions, list} {
		before := d.run(command, "")
		if after := d.run(command+"-restored", ""); after != before {
			d.t.Errorf("%s: restored is\n%s\nwant\n%s", command, after, before)
		}
	}
}

// checkPolicy holds what was done to the policy for operators.
func (d *desk) checkPolicy() {
	var policy struct {
		PolicyDocument struct{ Statement []statement }
	}
	decode(d.t, stack(d.t)["AdminPolicy"].Properties, &policy)
	may := make(map[string]bool)
	for _, s := range policy.PolicyDocument.Statement {
		for _, action := range s.Actions {
			if strings.Contains(action, "*") || string(s.Resource) == `"*"` {
				d.t.Errorf("operators may %s on %s", action, s.Resource)
			}
			if s.ofTable() {
				may[action] = false
			}
		}
	}
	for _, deed := range d.seen.deeds() {
		if _, ok := may[deed.action]; !ok {
			d.t.Errorf("operators do %s in %s, which their policy does not allow", deed.action, deed.partition)
		}
		may[deed.action] = true
	}
	for action, done := range may {
		if !done {
			d.t.Errorf("operators may %s and no command of the runbook does", action)
		}
	}
	if len(may) == 0 {
		d.t.Errorf("no statement of the policy is about the table: %+v", policy)
	}
}
