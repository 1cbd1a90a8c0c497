package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The most items that one batch may have.
const batchItems = 25

// batch writes or deletes items in no order and without conditions, and repeats
// what the table did not take.
func (s *Store) batch(ctx context.Context, requests []types.WriteRequest) error {
	for part := range slices.Chunk(requests, batchItems) {
		if err := s.batchPart(ctx, part); err != nil {
			return fmt.Errorf("write a batch of %d items: %w", len(part), err)
		}
	}
	return nil
}

// batchPart writes one batch.
func (s *Store) batchPart(ctx context.Context, left []types.WriteRequest) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for tried := 0; ; tried++ {
		out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*s.table: left}})
		if err != nil {
			return err
		}
		if left = out.UnprocessedItems[*s.table]; len(left) == 0 {
			return nil
		}
		if err := s.wait(ctx, tried); err != nil {
			return fmt.Errorf("%d items are not taken: %w", len(left), err)
		}
	}
}

// putRequest is an item of a batch.
func putRequest(item attributes) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
}

// deleteRequest deletes an item in a batch.
func deleteRequest(k itemKey) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k.attributes()}}
}

// rule is a condition of a write; the zero value is none.
type rule struct {
	text  string               // of the attribute #name and the value :value
	name  string               // "" if the text has no #name
	value types.AttributeValue // nil if the text has no :value
}

// absent holds if there is no such item.
func absent() rule { return rule{text: "attribute_not_exists(" + partition + ")"} }

// expression is the condition as the API takes it.
func (r rule) expression() *string {
	if r.text == "" {
		return nil
	}
	return aws.String(r.text)
}

// names says what #name stands for. Many names are reserved, so none stands in a text.
func (r rule) names() map[string]string {
	if r.name == "" {
		return nil
	}
	return map[string]string{"#name": r.name}
}

// values says what :value stands for.
func (r rule) values() attributes {
	if r.value == nil {
		return nil
	}
	return attributes{":value": r.value}
}

// put writes an item under a condition. It fails with errCondition if that does
// not hold, which a write of ours whose answer was lost can be the reason of.
func (s *Store) put(ctx context.Context, k itemKey, record any, on rule) error {
	item, err := encode(k, record)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: s.table, Item: item, ConditionExpression: on.expression(),
		ExpressionAttributeNames: on.names(), ExpressionAttributeValues: on.values(),
	})
	if err != nil {
		return fmt.Errorf("put item %s %s: %w", k.pk, k.sk, condition(err))
	}
	return nil
}

// setOnce gives an item an attribute unless it has it. It fails with errCondition
// if it has, or there is no such item.
func (s *Store) setOnce(ctx context.Context, k itemKey, name, value string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: s.table, Key: k.attributes(),
		UpdateExpression:          aws.String("SET #name = :value"),
		ConditionExpression:       aws.String("attribute_exists(" + partition + ") AND attribute_not_exists(#name)"),
		ExpressionAttributeNames:  map[string]string{"#name": name},
		ExpressionAttributeValues: attributes{":value": &types.AttributeValueMemberS{Value: value}},
	})
	if err != nil {
		return fmt.Errorf("update item %s %s: %w", k.pk, k.sk, condition(err))
	}
	return nil
}

// transact does all of the writes or none. It fails with errCondition if a
// condition does not hold, and repeats what only collided with another transaction.
func (s *Store) transact(ctx context.Context, writes ...types.TransactWriteItem) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	for tried := 0; ; tried++ {
		_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
		switch {
		case !ok && err != nil:
			return fmt.Errorf("transaction of %d writes: %w", len(writes), err)
		case !ok:
			return nil
		case slices.ContainsFunc(canceled.CancellationReasons, reasonIs("ConditionalCheckFailed")):
			return errCondition
		case !slices.ContainsFunc(canceled.CancellationReasons, reasonIs("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")):
			return fmt.Errorf("transaction of %d writes: %w", len(writes), err)
		}
		if err := s.wait(ctx, tried); err != nil {
			return fmt.Errorf("a transaction collides again and again: %w", err)
		}
	}
}

// reasonIs tests a reason of a canceled transaction.
func reasonIs(codes ...string) func(types.CancellationReason) bool {
	return func(r types.CancellationReason) bool { return slices.Contains(codes, aws.ToString(r.Code)) }
}

// putIn is a put as part of a transaction.
func (s *Store) putIn(k itemKey, record any, on rule) (types.TransactWriteItem, error) {
	item, err := encode(k, record)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: s.table, Item: item, ConditionExpression: on.expression(),
		ExpressionAttributeNames: on.names(), ExpressionAttributeValues: on.values(),
	}}, err
}

// checkIn is a condition on an item that the transaction does not write.
func (s *Store) checkIn(k itemKey, on rule) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: s.table, Key: k.attributes(), ConditionExpression: on.expression(),
		ExpressionAttributeNames: on.names(), ExpressionAttributeValues: on.values(),
	}}
}
