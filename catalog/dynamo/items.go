package dynamo

import (
	"context"
	"fmt"
	"iter"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
)

// attributes are the attributes of an item.
type attributes = map[string]types.AttributeValue

// encode is a record as an item; its names are those of its JSON form.
func encode(k itemKey, record any) (attributes, error) {
	item, err := attributevalue.MarshalMapWithOptions(record, func(o *attributevalue.EncoderOptions) { o.TagKey = "json" })
	if err != nil {
		return nil, fmt.Errorf("encode item %s %s: %w", k.pk, k.sk, err)
	}
	maps.Copy(item, k.attributes())
	return item, nil
}

// decode reads what encode wrote.
func decode(item attributes, record any) error {
	err := attributevalue.UnmarshalMapWithOptions(item, record, func(o *attributevalue.DecoderOptions) { o.TagKey = "json" })
	if err != nil {
		return fmt.Errorf("decode item: %w: %w", err, catalog.ErrCorrupt)
	}
	return nil
}

// get reads one item, as it is after every write before. It fails with
// catalog.ErrNotFound if there is none.
func (s *Store) get(ctx context.Context, k itemKey, record any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: s.table, Key: k.attributes(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return fmt.Errorf("get item %s %s: %w", k.pk, k.sk, err)
	}
	if len(out.Item) == 0 {
		return fmt.Errorf("get item %s %s: %w", k.pk, k.sk, catalog.ErrNotFound)
	}
	return decode(out.Item, record)
}

// parsed is a record that becomes a value of the vocabulary.
type parsed[V any] interface{ Parse() (V, error) }

// item reads one item as a value.
func item[R parsed[V], V any](ctx context.Context, s *Store, k itemKey) (value V, err error) {
	var record R
	if err := s.get(ctx, k, &record); err != nil {
		return value, err
	}
	return record.Parse()
}

// span is the items of a partition whose sort keys have a prefix.
type span struct {
	pk, prefix string
	backwards  bool
}

// pages reads a span page by page, each under a deadline of its own.
func (s *Store) pages(ctx context.Context, of span) iter.Seq2[[]attributes, error] {
	in := &dynamodb.QueryInput{
		TableName: s.table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(!of.backwards),
		KeyConditionExpression:    aws.String(partition + " = :pk"),
		ExpressionAttributeValues: attributes{":pk": &types.AttributeValueMemberS{Value: of.pk}},
	}
	if of.prefix != "" {
		*in.KeyConditionExpression += " AND begins_with(" + sorting + ", :prefix)"
		in.ExpressionAttributeValues[":prefix"] = &types.AttributeValueMemberS{Value: of.prefix}
	}
	return func(yield func([]attributes, error) bool) {
		for {
			out, err := s.query(ctx, in)
			if err != nil {
				yield(nil, fmt.Errorf("query %s: %w", of.pk, err))
				return
			}
			if !yield(out.Items, nil) || len(out.LastEvaluatedKey) == 0 {
				return
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
}

// query reads one page.
func (s *Store) query(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return s.client.Query(ctx, in)
}

// stream yields the records of a span as values.
func stream[R parsed[V], V any](ctx context.Context, s *Store, of span) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		var none V
		for items, err := range s.pages(ctx, of) {
			if err != nil {
				yield(none, err)
				return
			}
			if !yieldAll[R](items, yield) {
				return
			}
		}
	}
}

// yieldAll hands items to a reader as values. It is false if the stream ends here.
func yieldAll[R parsed[V], V any](items []attributes, yield func(V, error) bool) bool {
	for _, item := range items {
		var record R
		err := decode(item, &record)
		var value V
		if err == nil {
			value, err = record.Parse()
		}
		if !yield(value, err) || err != nil {
			return false
		}
	}
	return true
}

// list reads the records of a span as values.
func list[R parsed[V], V any](ctx context.Context, s *Store, of span) ([]V, error) {
	var values []V
	for value, err := range stream[R](ctx, s, of) {
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}
