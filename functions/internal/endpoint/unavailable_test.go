package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// silent is a store of portfolios that does not answer.
type silent struct{ Kept }

// Key fails.
func (silent) Key(_ context.Context, tenant catalog.TenantID, _ catalog.KeyID) (catalog.APIKey, error) {
	return catalog.APIKey{}, fmt.Errorf("get item TENANT#%s: %w", tenant, catalog.UnavailableError{Err: errors.New("no answer in time")})
}

// Portfolio fails.
func (silent) Portfolio(_ context.Context, tenant catalog.TenantID, _ catalog.PortfolioID) (catalog.Portfolio, error) {
	return catalog.Portfolio{}, errors.Join(fmt.Errorf("get item TENANT#%s: %w", tenant, catalog.UnavailableError{Err: errors.New("no answer in time")}), errors.New("again"))
}

// While the store does not answer, what only it knows is refused with when to try again;
// the log has why, and not whose it is.
func TestAStoreThatDoesNotAnswer(t *testing.T) {
	var log strings.Builder
	router := apigw.NewRouter(slog.New(slog.NewTextHandler(&log, nil)), noon, NewPortfolios(NewForecast(engine.New(smallCatalogue(t)), noon), silent{}).Routes()...)
	keyed := event("GET", "/v1/portfolios/main", "")
	keyed.Headers["authorization"] = "Bearer tw_acme_0123456789_" + strings.Repeat("0", 64)
	token := claimed(map[string]string{"tenant": "acme"})
	for name, e := range map[string]events.APIGatewayV2HTTPRequest{"a key": keyed, "a token": token} {
		log.Reset()
		answer := serve(t, router, e)
		checkProblem(t, e, answer, 503)
		if answer.Headers["retry-after"] != "10" {
			t.Errorf("%s: got %v, want Retry-After", name, answer.Headers)
		}
		if !strings.Contains(log.String(), "no answer in time") || strings.Contains(log.String(), "acme") {
			t.Errorf("%s: the log is %s", name, &log)
		}
	}
}

// claimed is a request for a portfolio with the claims of a token that the gateway let
// through.
func claimed(claims map[string]string) events.APIGatewayV2HTTPRequest {
	e := event("GET", "/v1/portfolios/main", "")
	e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: claims},
	}
	return e
}

func TestTokens(t *testing.T) {
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), noon, NewPortfolios(NewForecast(engine.New(smallCatalogue(t)), noon), silent{}).Routes()...)
	now := fmt.Sprint(noon().Unix())
	for name, row := range map[string]struct {
		claims map[string]string
		status int
	}{
		"good":                   {map[string]string{"tenant": "acme", "exp": fmt.Sprint(noon().Unix() + 60)}, 503}, // who it is is known
		"good, as a large float": {map[string]string{"tenant": "acme", "exp": "4.1e9"}, 503},
		"ends now":               {map[string]string{"tenant": "acme", "exp": now}, 401},
		"long over":              {map[string]string{"tenant": "acme", "exp": "1"}, 401},
		"no number":              {map[string]string{"tenant": "acme", "exp": "never"}, 401},
		"not a number":           {map[string]string{"tenant": "acme", "exp": "NaN"}, 401},
		"no tenant":              {map[string]string{"sub": "acme"}, 401},
		"no tenant's name":       {map[string]string{"tenant": "ACME#1"}, 401},
		"no claims":              {map[string]string{}, 401},
	} {
		if answer := serve(t, router, claimed(row.claims)); answer.StatusCode != row.status {
			t.Errorf("%s: got status %d, want %d: %s", name, answer.StatusCode, row.status, answer.Body)
		}
	}
}

// The query says in which language a text is answered, whatever it is written in.
func TestLanguageOfAText(t *testing.T) {
	router := overSeed(t)
	for target, want := range map[string]string{
		RecommendPath + "?q=cheapest+7B+fine-tune":                                                "en",
		RecommendPath + "?q=cheapest+7B+fine-tune&language=zh":                                    "zh",
		RecommendPath + "?q=%E6%9C%80%E4%BE%BF%E5%AE%9C%E7%9A%847B%E5%BE%AE%E8%B0%83":             "zh",
		RecommendPath + "?q=%E6%9C%80%E4%BE%BF%E5%AE%9C%E7%9A%847B%E5%BE%AE%E8%B0%83&language=en": "en",
	} {
		e := event("GET", target, "")
		answered := serve(t, router, e)
		checkDocument(t, e, answered)
		var answer schemas.RecommendResponse
		if err := json.Unmarshal([]byte(answered.Body), &answer); err != nil || len(answer.Plans) == 0 {
			t.Fatalf("%s: %v: %.300s", target, err, answered.Body)
		}
		if why := answer.Plans[0].Why; strings.ContainsFunc(why, func(c rune) bool { return unicode.Is(unicode.Han, c) }) != (want == "zh") {
			t.Errorf("%s: got %s, want it in %s", target, why, want)
		}
		if answer.Interpreted == nil || (answer.Interpreted.Language == "zh") != (want == "zh") {
			t.Errorf("%s: it was understood as %+v", target, answer.Interpreted)
		}
	}
	e := event("GET", RecommendPath+"?q=7b+finetune&language=fr", "")
	checkProblem(t, e, serve(t, router, e), 400)
}
