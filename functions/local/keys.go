package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	_, err = fmt.Fprintf(p.stdout, "%s\n", text)
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
	for _, tenant := range tenants {
		keys, err := s.Keys(ctx, tenant)
		if err != nil {
			return err
		}
		for _, k := range keys {
			revoked := ""
			if !k.RevokedAt.IsZero() {
				revoked = k.RevokedAt.Format(time.RFC3339)
			}
			rows = append(rows, []string{string(tenant), string(k.ID), k.CreatedAt.Format(time.RFC3339), revoked, k.Label})
		}
	}
	columns := []column{{title: "tenant"}, {title: "key"}, {title: "created"}, {title: "revoked"}, {title: "label", most: 40}}
	_, err = io.WriteString(p.stdout, table(columns, rows))
	return err
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
	_, err = fmt.Fprintf(p.stdout, "Key %s of tenant %s is revoked.\n", words[1], words[0])
	return err
}
