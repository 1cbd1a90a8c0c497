package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
	"github.com/tierwise/tierwise/probe-agent/internal/workload"
)

// consentText is the version of what enroll shows.
const consentText = "2026-12"

const consent = `Enrolling lets this box send what it measures of its GPUs: models, clocks, power,
temperatures, memory errors, links, driver versions, how long the GPUs worked, rates that
you let your program report, and provider, region and instance type as you type them. GPUs
are named by a keyed hash. No hostname, address, process, path, serial number or raw UUID
is sent. "probe-agent upload --dry-run" prints the exact bytes; "probe-agent forget" has
it all deleted.
`

// enrollFlags are the flags of enroll.
type enrollFlags struct {
	source                                    sourceFlags
	server, code, provider, region, sku, kind string
}

// enroll is the command enroll.
func (p *program) enroll(ctx context.Context, args []string) error {
	var f enrollFlags
	set, c := p.flags("enroll")
	f.source.register(set)
	set.StringVar(&f.server, "server", p.getenv("TIERWISE_SERVER"), "`URL` of the service, or TIERWISE_SERVER")
	set.StringVar(&f.code, "code", "", "one-time `code` that your account shows")
	set.StringVar(&f.provider, "provider", "", "whose box it is, as you call them; is sent")
	set.StringVar(&f.region, "region", "", "where the box is, as you call it; is sent")
	set.StringVar(&f.sku, "sku", "", "the provider's name of the instance type; is sent")
	set.StringVar(&f.kind, "reporter", "tenant", "tenant, or provider if the box is your own")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	m, err := p.open(&f.source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	inventory, _ := m.survey() // without GPUs the fingerprint stays open
	b, err := p.openBox(f.source.state(c.state))
	if err != nil {
		return err
	}
	fmt.Fprint(p.stderr, consent)
	fingerprint := p.fingerprint(inventory)
	// The key of a disk that was copied is the original's, which goes on sending.
	_, err = b.identity.Check(fingerprint)
	enrolment, err := p.makeKnown(ctx, b, &f, errors.Is(err, identity.ErrCloned))
	if err != nil {
		return err
	}
	enrolment.Fingerprint = fingerprint
	if err := errors.Join(b.identity.Keep(enrolment), b.identity.KeepKey()); err != nil {
		return err
	}
	return p.print(c, enrolment, func(out io.Writer) { fmt.Fprintf(out, "enrolled as %s\n", enrolment.KeyID) })
}

func (f *enrollFlags) check() error {
	switch {
	case f.code == "" || len(f.code) > 128:
		return usagef("give the --code that your account shows")
	case f.kind != "tenant" && f.kind != "provider":
		return usagef("--reporter %q: want tenant or provider", f.kind)
	}
	for _, typed := range []string{f.provider, f.region, f.sku} {
		if typed != "" && !workload.Typed.MatchString(typed) {
			return usagef("--provider, --region and --sku: want up to 64 letters, digits and . _ / : + -")
		}
	}
	if _, err := upload.ParseServer(f.server); err != nil {
		return &usageError{err.Error()}
	}
	return nil
}

// makeKnown makes a key and brings it to the server, signed by the old one if there is
// one and it is not another machine's.
func (p *program) makeKnown(ctx context.Context, b *box, f *enrollFlags, cloned bool) (*identity.Enrolment, error) {
	old, err := b.identity.Key()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if cloned {
		old = nil
	}
	key, err := b.identity.NewKey(p.random)
	if err != nil {
		return nil, err
	}
	server, err := upload.ParseServer(f.server)
	if err != nil {
		return nil, err
	}
	at := p.now().UTC().Format(time.RFC3339)
	request := &upload.Enrolment{AgentVersion: version, Code: f.code, Consent: upload.Consent{Text: consentText, At: at},
		Provider: f.provider, Region: f.region, SKU: f.sku, Reporter: f.kind}
	nonce := make([]byte, 16)
	if _, err := io.ReadFull(p.random, nonce); err != nil {
		return nil, fmt.Errorf("make a nonce: %w", err)
	}
	if err := request.Sign(key, old, nonce); err != nil {
		return nil, err
	}
	log := p.log()
	client := &upload.Client{HTTP: upload.NewHTTPClient(), Server: server, Key: key, Now: p.now,
		Offset: func(d time.Duration) { b.setOffset(d, log) }}
	id, err := client.Enroll(ctx, request)
	if err != nil {
		return nil, err
	}
	return &identity.Enrolment{Server: f.server, KeyID: id, Consent: identity.Consent{Text: consentText, At: at},
		Provider: f.provider, Region: f.region, SKU: f.sku, Kind: f.kind}, nil
}

// uploaded is what upload says.
type uploaded struct {
	upload.Result
	Pending int `json:"pending"`
}

// upload is the command upload.
func (p *program) upload(ctx context.Context, args []string) error {
	var source sourceFlags
	set, c := p.flags("upload")
	source.register(set)
	dry := set.Bool("dry-run", false, "print the exact bytes that would be sent, and send nothing")
	attempts := set.Int("attempts", 5, "`times` to try each report; 0 is without end")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	b, err := p.openBox(source.state(c.state))
	if err != nil {
		return err
	}
	if *dry {
		return p.dryRun(ctx, b)
	}
	if err := p.checkIdentity(b, &source); err != nil {
		return err
	}
	loop, release, err := p.newLoop(b, p.log())
	if err != nil {
		return err
	}
	defer release()
	loop.Attempts = *attempts
	result, err := loop.Drain(ctx)
	pending, listErr := b.spool.Pending()
	shown := uploaded{result, len(pending)}
	return errors.Join(err, listErr, p.print(c, shown, func(out io.Writer) {
		fmt.Fprintf(out, "%d sent, %d rejected, %d waiting\n", shown.Sent, shown.Rejected, shown.Pending)
	}))
}

// checkIdentity keeps a cloned disk from sending. Where no GPU can be seen, nothing is
// compared.
func (p *program) checkIdentity(b *box, source *sourceFlags) error {
	m, err := p.open(source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	inventory, _ := m.survey() // reports can be sent without a driver
	_, err = b.identity.Check(p.fingerprint(inventory))
	return err
}

// dryRun prints the requests that upload would make, headers and signed bodies, and the
// payload that each body holds.
func (p *program) dryRun(ctx context.Context, b *box) error {
	client, err := p.client(b, p.log())
	if err != nil {
		return err
	}
	pending, err := b.spool.Pending()
	if err != nil {
		return err
	}
	for _, seq := range pending {
		payload, err := b.spool.Read(seq)
		if err != nil {
			return err
		}
		r, err := client.Request(ctx, payload)
		if err != nil {
			return err
		}
		signed, err := upload.Envelope(client.Key, payload)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s %s\n%s\nbody, %d bytes compressed:\n%s\nwhich holds:\n%s\n\n", r.Method, r.URL, headers(r.Header), r.ContentLength, signed, payload)
	}
	fmt.Fprintf(p.stderr, "%d reports are waiting; nothing was sent\n", len(pending))
	return nil
}

func headers(h http.Header) string {
	var text strings.Builder
	h.Write(&text) // a strings.Builder does not fail
	return strings.TrimSpace(text.String())
}

// bundle is what export writes: the same signed reports that upload sends.
type bundle struct {
	Schema  string   `json:"schema"`
	Server  string   `json:"server"`
	Reports []string `json:"reports"`
}

// export is the command export.
func (p *program) export(_ context.Context, args []string) error {
	set, c := p.flags("export")
	file := set.String("file", "-", "`file` to write to; - is standard output")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	b, err := p.openBox(c.state)
	if err != nil {
		return err
	}
	client, err := p.client(b, p.log())
	if err != nil {
		return err
	}
	pending, err := b.spool.Pending()
	if err != nil {
		return err
	}
	out := bundle{Schema: "tierwise.bundle/1", Server: b.enrolment.Server, Reports: []string{}}
	for _, seq := range pending {
		payload, err := b.spool.Read(seq)
		if err != nil {
			return err
		}
		signed, err := upload.Envelope(client.Key, payload)
		if err != nil {
			return err
		}
		out.Reports = append(out.Reports, signed)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if text = append(text, '\n'); *file != "-" {
		return spool.WriteFile(*file, text, 0o600)
	}
	_, err = p.stdout.Write(text)
	return err
}

// forget is the command forget.
func (p *program) forget(ctx context.Context, args []string) error {
	set, c := p.flags("forget")
	local := set.Bool("local", false, "delete the key here without asking the server")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	b, err := p.openBox(c.state)
	if err != nil {
		return err
	}
	if !*local {
		client, err := p.client(b, p.log())
		if err != nil {
			return err
		}
		if err := client.Forget(ctx, b.enrolment.KeyID); err != nil {
			return fmt.Errorf("%w: %w", upload.ErrUnsent, err)
		}
	}
	if err := b.identity.Forget(); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(b.dir+"/spool"), p.print(c, struct {
		Forgotten bool `json:"forgotten"`
	}{true}, func(out io.Writer) { fmt.Fprintln(out, "this box is forgotten; its key and reports are deleted") }))
}
