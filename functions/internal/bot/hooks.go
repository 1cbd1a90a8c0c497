package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/schemas"
)

// SlackHost is the only host that messages are posted to.
const SlackHost = "hooks.slack.com"

// postTimeout is how long a post may take.
const postTimeout = 5 * time.Second

// Hooks posts messages to the addresses that Slack gives for answers.
type Hooks struct {
	Client *http.Client
	Host   string // with the port if it is not 443: SlackHost, or that of a test
}

// Post posts a message. An address elsewhere is a *schemas.ValidationError.
func (h Hooks) Post(ctx context.Context, address string, message slack.WebhookMessage) error {
	to, err := url.Parse(address)
	if err != nil || to.Scheme != "https" || to.Host != h.Host || to.User != nil {
		return schemas.Invalid("/response_url", "want an address at https://%s", h.Host)
	}
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("post message: %w", err)
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	client := *h.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("no redirect is followed") }
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("post message: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return fmt.Errorf("post message: status %d: %s", response.StatusCode, text)
	}
	return nil
}
