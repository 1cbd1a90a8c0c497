// Package bot answers Slack: the slash command, and the buttons under its answers.
//
// Every request is signed by Slack over its raw body, and what is not is refused. Slack
// waits three seconds. An answer that would take longer, by how long others took, is
// acknowledged and worked out in another invocation, which posts it to the
// request's response_url. That invocation gets the request as it was signed and checks
// it again, so there is no second way in. Nothing is left running when a handler has
// answered.
package bot

import (
	"context"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// Where Slack sends the slash command, and what buttons do.
const (
	CommandPath = "/v1/slack/commands"
	ActionPath  = "/v1/slack/actions"
)

// SecretVariable names the variable of the environment with Slack's signing secret.
const SecretVariable = "SLACK_SIGNING_SECRET"

// BaseVariable names the variable of the environment with the address of the API, as
// Slack reaches it: pictures are shown from there.
const BaseVariable = "PUBLIC_URL"

// Planner finds plans.
type Planner interface {
	// Plans are the plans for the text in the query parameter q. Package apigw has a
	// status for its errors.
	Plans(r *apigw.Request) (schemas.RecommendResponse, error)
	// PlansFor are the plans for a request as the API takes it.
	PlansFor(request schemas.RecommendRequest) (schemas.RecommendResponse, error)
}

// Later answers an event once more, outside of the handler that asks for it and with a
// context that Deferred made.
type Later interface {
	Again(ctx context.Context, event events.APIGatewayV2HTTPRequest) error
}

// Config is what the bot has of the world.
type Config struct {
	Secret func(ctx context.Context) (string, error) // Slack's signing secret
	Now    func() time.Time
	Later  Later
	Hooks  Hooks
	// Base is where pictures are: "https://api.example.com". "" shows none.
	Base string
}

// Bot answers Slack, whatever the catalogue. Any number of goroutines may use it.
type Bot struct {
	config Config
	pace   pace
}

// New makes a bot.
func New(c Config) *Bot { return &Bot{config: c} }

// Routes are the slash command and the buttons over a catalogue.
func (b *Bot) Routes(p Planner) []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodPost, Path: CommandPath, Handler: b.handler(p, commandOf)},
		{Method: http.MethodPost, Path: ActionPath, Handler: b.handler(p, actionOf)},
	}
}

// deferredKey is where a context says that an answer is given later.
type deferredKey struct{}

// Deferred is a context for an event that was acknowledged, whose answer is posted.
func Deferred(ctx context.Context) context.Context {
	return context.WithValue(ctx, deferredKey{}, true)
}

// job is what a request asks for.
type job struct {
	respondTo string // the response_url
	words     words
	// answer makes the message; nil if there is nothing to work out.
	answer func(p Planner, base string) slack.WebhookMessage
	ready  *slack.WebhookMessage // the answer that needs no planner; nil is an empty one
	posted bool                  // the answer is posted, never given at once
}

// handler answers requests of one kind.
func (b *Bot) handler(p Planner, read func(url.Values) (job, error)) apigw.Handler {
	return func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		form, sent, err := b.verified(ctx, r)
		if err != nil {
			return apigw.Response{}, err
		}
		j, err := read(form)
		switch {
		case err != nil:
			return apigw.Response{}, err
		case j.answer == nil && j.ready == nil:
			return apigw.Response{Header: map[string]string{}}, nil
		case j.answer == nil:
			return apigw.JSON(j.ready)
		}
		deferred, _ := ctx.Value(deferredKey{}).(bool)
		if !deferred && !b.pace.allows(b.config.Now(), sent) && b.later(ctx, r) == nil {
			return j.acknowledged()
		}
		begun := b.config.Now()
		message := j.answer(p, b.config.Base)
		done := b.config.Now()
		b.pace.note(done.Sub(begun))
		if !deferred && !j.posted && done.Before(sent.Add(patience)) {
			return apigw.JSON(message)
		}
		return apigw.Response{Header: map[string]string{}}, b.config.Hooks.Post(ctx, j.respondTo, message)
	}
}

// later has the request answered once more.
func (b *Bot) later(ctx context.Context, r *apigw.Request) error {
	event := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: r.Path, Headers: make(map[string]string),
		Body: base64.StdEncoding.EncodeToString(r.Body), IsBase64Encoded: true,
	}
	for name := range r.Header {
		event.Headers[strings.ToLower(name)] = r.Header.Get(name)
	}
	event.RequestContext.RequestID = r.ID
	event.RequestContext.HTTP.Method = r.Method
	return b.config.Later.Again(ctx, event)
}

// acknowledged says that the answer comes later. What buttons do is acknowledged
// without a word.
func (j job) acknowledged() (apigw.Response, error) {
	if j.posted {
		return apigw.Response{Header: map[string]string{}}, nil
	}
	return apigw.JSON(whisper(j.words.working))
}

// whisper is a message of one sentence that only the one who asked sees.
func whisper(text string) slack.WebhookMessage {
	return slack.WebhookMessage{ResponseType: slack.ResponseTypeEphemeral, Text: text}
}

// commandOf reads a slash command.
func commandOf(form url.Values) (job, error) {
	text := strings.TrimSpace(html.UnescapeString(form.Get("text"))) // Slack escapes & < >
	w := wordsFor(text)
	switch {
	case form.Get("ssl_check") == "1":
		return job{}, nil
	case isHelp(text):
		message := help(w)
		return job{ready: &message}, nil
	}
	return job{
		respondTo: form.Get("response_url"), words: w,
		answer: func(p Planner, base string) slack.WebhookMessage {
			response, err := p.Plans(&apigw.Request{Query: url.Values{"q": {text}}})
			if err != nil {
				return refused(w, err)
			}
			return planMessage(&response, w, base)
		},
	}, nil
}

// isHelp reports whether a text asks what can be asked.
func isHelp(text string) bool {
	switch strings.ToLower(text) {
	case "", "help", "?", "？", "帮助", "--help", "-h":
		return true
	}
	return false
}
