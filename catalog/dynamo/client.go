package dynamo

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"github.com/tierwise/tierwise/catalog"
)

// How often and how long one call is tried. Retries wait at random up to a bound
// that doubles.
const (
	attempts       = 5
	attemptTimeout = 2 * time.Second
	dialTimeout    = time.Second
	longestWait    = 500 * time.Millisecond
)

// Connection says how to reach DynamoDB.
type Connection struct {
	Region string
	// Endpoint is a URL; "" is AWS's own of the region.
	Endpoint string

	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
}

// ConnectionFrom reads a connection from the variables that AWS's tools and the
// Lambda runtime set. getenv is os.Getenv.
func ConnectionFrom(getenv func(string) string) Connection {
	c := Connection{
		Region:          getenv("AWS_REGION"),
		Endpoint:        getenv("AWS_ENDPOINT_URL_DYNAMODB"),
		AccessKeyID:     getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    getenv("AWS_SESSION_TOKEN"),
	}
	if c.Region == "" {
		c.Region = getenv("AWS_DEFAULT_REGION")
	}
	return c
}

// Client makes a client. Nothing is sent yet. Options that are given are applied last.
func (c Connection) Client(options ...func(*dynamodb.Options)) *dynamodb.Client {
	o := dynamodb.Options{
		Region:      c.Region,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken),
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(attemptTimeout).WithDialerOptions(func(d *net.Dialer) {
			d.Timeout = dialTimeout
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = attempts
			o.MaxBackoff = longestWait
		}),
	}
	if c.Endpoint != "" {
		o.BaseEndpoint = aws.String(c.Endpoint)
	}
	o.APIOptions = append(o.APIOptions, marksUnavailable)
	return dynamodb.New(o, options...)
}

// marksUnavailable makes what a call fails with a catalog.UnavailableError when all of
// its tries were in vain.
func marksUnavailable(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Unavailable", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, meta, err := next.HandleInitialize(ctx, in)
		if passes(err) {
			err = catalog.UnavailableError{Err: err}
		}
		return out, meta, err
	}), middleware.Before)
}

// passes reports whether an error is one that passes: no connection, no answer in time, a
// fault of the service's, or too many requests.
func passes(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary ||
		retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err) == aws.TrueTernary
}
