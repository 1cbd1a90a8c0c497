package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apikey"
)

// apiKeys creates, lists and revokes API keys.
func (p *program) apiKeys(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{"api-key: want create, list or revoke"}
	}
	command, args := args[0], args[1:]
	flags, where := storageFlags("api-key " + command)
	label := ""
	names, known := map[string][]string{"create": {"TENANT"}, "list": {}, "revoke": {"TENANT", "KEY"}}[command]
	if !known {
		return usageError{fmt.Sprintf("api-key: unknown command %q: want create, list or revoke", command)}
	}
	if command == "create" {
		flags.StringVar(&label, "label", "", "")
	}
	words, err := parsed(flags, args, names...)
	if err != nil {
		return err
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	p = p.writing(where.json)
	switch command {
	case "create":
		return p.createKey(ctx, s, words[0], label)
	case "revoke":
		return p.revokeKey(ctx, s, words)
	default:
		return p.listKeys(ctx, s)
	}
}

// createKey makes a key and shows it, this once.
func (p *program) createKey(ctx context.Context, s store, owner, label string) error {
	tenant, err := catalog.ParseTenantID(owner)
	if err != nil {
		return usageError{err.Error()}
	}
	text, key, err := apikey.Issue(p.random, tenant, label, p.now())
	if err != nil {
		return err
	}
	if err := s.PutKey(ctx, key); err != nil {
		return err
	}
	err = p.print(keyFor(key, text), text+"\n")
	fmt.Fprintf(p.stderr, "Key %s of tenant %s. It is not shown again; send it as \"Authorization: Bearer KEY\".\n", key.ID, tenant)
	return err
}

// listKeys lists all tenants' keys.
func (p *program) listKeys(ctx context.Context, s store) error {
	tenants, err := s.Tenants(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	result := []shownKey{}
	for _, tenant := range tenants {
		keys, err := s.Keys(ctx, tenant)
		if err != nil {
			return err
		}
		for _, k := range keys {
			result = append(result, keyFor(k, ""))
			revoked := ""
			if !k.RevokedAt.IsZero() {
				revoked = k.RevokedAt.Format(time.RFC3339)
			}
			rows = append(rows, []string{string(tenant), string(k.ID), k.CreatedAt.Format(time.RFC3339), revoked, k.Label})
		}
	}
	columns := []column{{title: "tenant"}, {title: "key"}, {title: "created"}, {title: "revoked"}, {title: "label", most: 40}}
	return p.print(result, table(columns, rows))
}

// shownKey is a key in JSON.
type shownKey struct {
	Tenant  string `json:"tenant"`
	ID      string `json:"id"`
	Key     string `json:"key,omitempty"` // when it is made, this once
	Created string `json:"created_at,omitempty"`
	Revoked string `json:"revoked_at,omitempty"`
	Label   string `json:"label"`
}

// keyFor is a key in JSON, with its text if it is to be shown.
func keyFor(k catalog.APIKey, text string) shownKey {
	shown := shownKey{Tenant: string(k.Tenant), ID: string(k.ID), Key: text, Created: k.CreatedAt.Format(time.RFC3339), Label: k.Label}
	if !k.RevokedAt.IsZero() {
		shown.Revoked = k.RevokedAt.Format(time.RFC3339)
	}
	return shown
}

// revokeKey ends a key for good.
func (p *program) revokeKey(ctx context.Context, s store, words []string) error {
	err := s.RevokeKey(ctx, catalog.TenantID(words[0]), catalog.KeyID(words[1]), p.now())
	if errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("tenant %s has no key %s: \"tierwise api-key list\" lists what there is", words[0], words[1])
	}
	if err != nil {
		return err
	}
	return p.print(shownKey{Tenant: words[0], ID: words[1], Revoked: p.now().UTC().Format(time.RFC3339)},
		fmt.Sprintf("Key %s of tenant %s is revoked.\n", words[1], words[0]))
}
