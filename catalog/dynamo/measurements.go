package dynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// AppendHistory keeps price points. Points that are kept already stay one.
func (s *Store) AppendHistory(ctx context.Context, points []catalog.PricePoint) error {
	var requests []types.WriteRequest
	seen := make(map[itemKey]bool) // a batch may not name an item twice
	for _, p := range points {
		r := record.FromPricePoint(p)
		k := itemKey{historyPartition(p.Offer), r.Key()}
		if seen[k] {
			continue
		}
		seen[k] = true
		item, err := encode(k, r)
		if err != nil {
			return fmt.Errorf("append %d price points: %w", len(points), err)
		}
		requests = append(requests, putRequest(item))
	}
	if err := s.batch(ctx, requests); err != nil {
		return fmt.Errorf("append %d price points: %w", len(points), err)
	}
	return nil
}

// History are the price points of an offer, the oldest first; those without a date
// come before all others.
func (s *Store) History(ctx context.Context, offer catalog.OfferID) iter.Seq2[catalog.PricePoint, error] {
	return stream[record.PricePoint](ctx, s, span{pk: historyPartition(offer)})
}

// PutCoefficients keeps coefficients, each unless a newer one is kept.
func (s *Store) PutCoefficients(ctx context.Context, all []catalog.Coefficient) error {
	for _, c := range all {
		r := record.FromCoefficient(c)
		newer := rule{"attribute_not_exists(" + partition + ") OR #name < :value", "computed_at", &types.AttributeValueMemberS{Value: r.ComputedAt}}
		err := s.put(ctx, itemKey{coefficientsPartition, r.Key()}, r, newer)
		if err != nil && !errors.Is(err, errCondition) {
			return fmt.Errorf("put %d coefficients: %w", len(all), err)
		}
	}
	return nil
}

// Coefficients are all coefficients, by GPU, provider and SKU.
func (s *Store) Coefficients(ctx context.Context) ([]catalog.Coefficient, error) {
	return list[record.Coefficient](ctx, s, span{pk: coefficientsPartition})
}
