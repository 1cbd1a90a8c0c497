package supply

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/tierwise/tierwise/catalog/dynamo"
)

// secretTimeout bounds a question for a secret.
const secretTimeout = 5 * time.Second

// Secret is what a variable holds, or what the secret of AWS Secrets Manager holds
// that the variable of the name with "_SECRET" behind it names; "" if neither is set.
// No error has a secret in it.
func Secret(ctx context.Context, e Environment, variable string) (string, error) {
	if value := e.Getenv(variable); value != "" {
		return value, nil
	}
	name := e.Getenv(variable + "_SECRET")
	if name == "" {
		return "", nil
	}
	c := dynamo.ConnectionFrom(e.Getenv)
	o := secretsmanager.Options{
		Region:      c.Region,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken),
		HTTPClient:  awshttp.NewBuildableClient().WithTimeout(secretTimeout),
	}
	if endpoint := e.Getenv("AWS_ENDPOINT_URL_SECRETS_MANAGER"); endpoint != "" {
		o.BaseEndpoint = aws.String(endpoint)
	}
	answer, err := secretsmanager.New(o).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &name})
	if err != nil {
		return "", fmt.Errorf("get secret %s: %w", name, err)
	}
	if answer.SecretString == nil || *answer.SecretString == "" {
		return "", fmt.Errorf("get secret %s: want a text", name)
	}
	return *answer.SecretString, nil
}
