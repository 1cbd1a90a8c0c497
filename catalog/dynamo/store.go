package dynamo

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// Config is what a store needs.
type Config struct {
	Client *dynamodb.Client
	Table  string
	Now    func() time.Time // dates publications
	Random io.Reader        // makes names that no other publisher has, and waits of random length

	// Keep is how many publications stay readable; 0 is 10.
	Keep int
	// Timeout bounds every operation on the table, its retries included; 0 is 5 s.
	Timeout time.Duration
}

// Store is a store in a table. Any number of goroutines and programs may use it.
type Store struct {
	client  *dynamodb.Client
	table   *string
	now     func() time.Time
	keep    int
	timeout time.Duration

	mu     sync.Mutex
	random io.Reader
	latest record.Publication // as last read, which saves Load a look-up
}

// New is the store in a table. Nothing is sent yet.
func New(c Config) *Store {
	s := &Store{client: c.Client, table: aws.String(c.Table), now: c.Now, random: c.Random, keep: c.Keep, timeout: c.Timeout}
	if s.keep <= 0 {
		s.keep = 10
	}
	if s.timeout <= 0 {
		s.timeout = 5 * time.Second
	}
	return s
}

// CreateTable makes the table, billed on demand, and waits until it is there. It
// is no error if it exists.
func (s *Store) CreateTable(ctx context.Context) error {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	_, err := s.client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            s.table,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute(partition), attribute(sorting)},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(partition), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sorting), KeyType: types.KeyTypeRange},
		},
	})
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create table %s: %w", *s.table, err)
	}
	waiter := dynamodb.NewTableExistsWaiter(s.client)
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: s.table}, time.Minute); err != nil {
		return fmt.Errorf("create table %s: %w", *s.table, err)
	}
	return nil
}

// nonce is a name that nobody else has.
func (s *Store) nonce() (string, error) {
	b := make([]byte, 12)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.ReadFull(s.random, b); err != nil {
		return "", fmt.Errorf("make a name: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// wait waits at random, longer the more often it was tried, or until ctx ends.
func (s *Store) wait(ctx context.Context, tried int) error {
	b := make([]byte, 8)
	s.mu.Lock()
	_, err := io.ReadFull(s.random, b)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	most := min(longestWait, 10*time.Millisecond<<min(tried, 10))
	timer := time.NewTimer(time.Duration(binary.LittleEndian.Uint64(b) % uint64(most)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errCondition says that a write's condition did not hold.
var errCondition = errors.New("condition failed")

// condition turns the API's errors of failed conditions into errCondition.
func condition(err error) error {
	if _, failed := errors.AsType[*types.ConditionalCheckFailedException](err); failed {
		return errCondition
	}
	return err
}

// settled decides how a conditional write ended whose error is given: well if what
// is there now is ours, since an answer can be lost and the write repeated.
func settled(err error, ours bool) error {
	switch {
	case ours:
		return nil
	case errors.Is(err, errCondition):
		return catalog.ErrConflict
	default:
		return err
	}
}
