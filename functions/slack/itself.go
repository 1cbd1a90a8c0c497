package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/functions/internal/bot"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

// function answers the events of the HTTP API, and those that it sends itself.
type function struct{ *endpoint.Current }

// payload is an event of the HTTP API, or one that was put off.
type payload struct {
	events.APIGatewayV2HTTPRequest
	Deferred *events.APIGatewayV2HTTPRequest `json:"deferred,omitempty"`
}

// Serve answers an event. The error is always nil, since every failure has an answer:
// what was put off is not tried again, for it may have been posted.
func (f *function) Serve(ctx context.Context, p payload) (events.APIGatewayV2HTTPResponse, error) {
	if p.Deferred != nil {
		return f.Current.Serve(bot.Deferred(ctx), *p.Deferred)
	}
	return f.Current.Serve(ctx, p.APIGatewayV2HTTPRequest)
}

// invoker is the one call of Lambda's API that is needed.
type invoker interface {
	Invoke(ctx context.Context, in *lambda.InvokeInput, options ...func(*lambda.Options)) (*lambda.InvokeOutput, error)
}

// itself puts off events: the function invokes itself with them, asynchronously.
type itself struct {
	client invoker
	name   string
}

// invokeTimeout bounds a call of Lambda's API: Slack waits.
const invokeTimeout = time.Second

// newClient makes a client of Lambda's API. Nothing is sent yet.
func newClient(getenv func(string) string) *lambda.Client {
	c := dynamo.ConnectionFrom(getenv)
	o := lambda.Options{
		Region:      c.Region,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken),
		HTTPClient:  awshttp.NewBuildableClient().WithTimeout(invokeTimeout),
	}
	if endpoint := getenv("AWS_ENDPOINT_URL_LAMBDA"); endpoint != "" {
		o.BaseEndpoint = aws.String(endpoint)
	}
	return lambda.New(o)
}

// Again sends an event.
func (x itself) Again(ctx context.Context, event events.APIGatewayV2HTTPRequest) error {
	body, err := json.Marshal(map[string]any{"deferred": event})
	if err != nil {
		return fmt.Errorf("put off an event: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, invokeTimeout)
	defer cancel()
	_, err = x.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: &x.name, InvocationType: types.InvocationTypeEvent, Payload: body})
	if err != nil {
		return fmt.Errorf("put off an event: %w", err)
	}
	return nil
}

// remembered reads a secret once. What fails is tried again the next time.
func remembered(read func(context.Context) (string, error)) func(context.Context) (string, error) {
	var mu sync.Mutex
	var secret string
	return func(ctx context.Context) (string, error) {
		mu.Lock()
		known := secret
		mu.Unlock()
		if known != "" {
			return known, nil
		}
		fresh, err := read(ctx)
		if err == nil {
			mu.Lock()
			secret = fresh
			mu.Unlock()
		}
		return fresh, err
	}
}
