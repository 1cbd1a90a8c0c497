package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// portfolio is a portfolio as an item.
type portfolio struct {
	record.Portfolio
	Nonce string `json:"nonce"` // of the call that stored it
}

// revised holds if an item has a revision; of 0, if there is none.
func revised(revision int64) rule {
	if revision == 0 {
		return absent()
	}
	return rule{"#name = :value", "revision", &types.AttributeValueMemberN{Value: strconv.FormatInt(revision, 10)}}
}

// PutPortfolio replaces a portfolio if the one that is kept has the same revision, and
// counts it up. Otherwise it fails with catalog.ErrConflict.
func (s *Store) PutPortfolio(ctx context.Context, p catalog.Portfolio) (catalog.Portfolio, error) {
	on := revised(p.Revision)
	p.Revision++
	nonce, err := s.nonce()
	if err != nil {
		return catalog.Portfolio{}, err
	}
	at := portfolioKey(p.Tenant, p.ID)
	err = s.put(ctx, at, portfolio{record.FromPortfolio(p), nonce}, on)
	if err == nil {
		return p, nil
	}
	var now portfolio
	if errRead := s.get(ctx, at, &now); errRead != nil && !errors.Is(errRead, catalog.ErrNotFound) {
		err = errors.Join(err, errRead)
	}
	if err := settled(err, now.Nonce == nonce); err != nil {
		return catalog.Portfolio{}, fmt.Errorf("put portfolio %s of tenant %s, revision %d: %w", p.ID, p.Tenant, p.Revision-1, err)
	}
	return p, nil
}

// Portfolio finds a portfolio.
func (s *Store) Portfolio(ctx context.Context, tenant catalog.TenantID, id catalog.PortfolioID) (catalog.Portfolio, error) {
	return item[record.Portfolio](ctx, s, portfolioKey(tenant, id))
}

// DeletePortfolio forgets a portfolio of a revision. It fails with catalog.ErrConflict
// if another is kept; to delete nothing is no error, since an answer can be lost.
func (s *Store) DeletePortfolio(ctx context.Context, p catalog.Portfolio) error {
	at, on := portfolioKey(p.Tenant, p.ID), revised(p.Revision)
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.client.DeleteItem(within, &dynamodb.DeleteItemInput{
		TableName: s.table, Key: at.attributes(), ConditionExpression: on.expression(),
		ExpressionAttributeNames: on.names(), ExpressionAttributeValues: on.values(),
	})
	if err == nil || errors.Is(s.get(ctx, at, new(portfolio)), catalog.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("delete portfolio %s of tenant %s, revision %d: %w", p.ID, p.Tenant, p.Revision, settled(condition(err), false))
}
