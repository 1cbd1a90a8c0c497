package bot

import (
	"encoding/json"
	"net/url"
	"slices"

	"github.com/shopspring/decimal"
	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/schemas"
)

// What the buttons do.
const (
	cheaper = "cheaper"
	faster  = "faster"
	noSpot  = "no_spot"
	euOnly  = "eu_only"
	details = "details"
)

// state is what a button carries: the request that was answered, and the hours of its
// best plan.
type state struct {
	Request schemas.RecommendRequest `json:"r"`
	Hours   string                   `json:"h,omitempty"`
}

// mostValue is how long the value of a button may be, in characters.
const mostValue = 2000

// buttons are the buttons under an answer, nil if the request is too long for one.
func buttons(request *schemas.RecommendRequest, hours string, w words) slack.Block {
	value, err := json.Marshal(state{Request: *request, Hours: hours})
	if err != nil || len(value) > mostValue {
		return nil
	}
	var elements []slack.BlockElement
	for _, name := range []string{cheaper, faster, noSpot, euOnly, details} {
		elements = append(elements, slack.NewButtonBlockElement(name, string(value), plain(w.buttons[name])))
	}
	return slack.NewActionBlock("tierwise", elements...)
}

// actionOf reads what a button does.
func actionOf(form url.Values) (job, error) {
	var call slack.InteractionCallback
	if err := json.Unmarshal([]byte(form.Get("payload")), &call); err != nil {
		return job{}, schemas.Invalid("/payload", "want what a button does, as Slack sends it")
	}
	if call.Type != slack.InteractionTypeBlockActions || len(call.ActionCallback.BlockActions) == 0 {
		return job{}, nil // nothing that we sent
	}
	action := call.ActionCallback.BlockActions[0]
	var pressed state
	if err := json.Unmarshal([]byte(action.Value), &pressed); err != nil {
		return job{}, nil // a button of another message
	}
	w := wordsIn(pressed.Request.Language)
	return job{
		respondTo: call.ResponseURL, words: w, posted: true,
		answer: func(p Planner, base string) slack.WebhookMessage { return pressed.act(p, action.ActionID, w, base) },
	}, nil
}

// act answers a button.
func (s state) act(p Planner, name string, w words, base string) slack.WebhookMessage {
	request, changed := s.changed(name)
	response, err := p.PlansFor(request)
	if err != nil {
		return refused(w, err)
	}
	response.Interpreted = &request
	if name == details {
		return detailMessage(&response, w)
	}
	message := planMessage(&response, w, base)
	message.ReplaceOriginal = len(response.Plans) > 0
	if !message.ReplaceOriginal {
		message.ResponseType = slack.ResponseTypeEphemeral
	}
	message.Blocks.BlockSet = slices.Insert(message.Blocks.BlockSet, 1, note(w.changed+w.changes[changed]))
	return message
}

// shorter is the part of the hours that a faster plan may take.
func shorter() decimal.Decimal { return decimal.RequireFromString("0.7") }

// changed is the request as a button changes it, and what that was.
func (s state) changed(name string) (request schemas.RecommendRequest, what string) {
	request = s.Request
	var limits schemas.Constraints
	if request.Constraints != nil {
		limits = *request.Constraints
	}
	switch name {
	case cheaper:
		request.Objective, limits.DeadlineHours = "cost", nil
		limits.PurchaseModels = append(slices.DeleteFunc(slices.Clone(limits.PurchaseModels), usual), "on_demand", "spot")
	case faster:
		hours, err := decimal.NewFromString(s.Hours)
		if err != nil || !hours.IsPositive() {
			request.Objective = "time"
			break
		}
		deadline := hours.Mul(shorter()).Round(4).String()
		request.Objective, limits.DeadlineHours = "cost", &deadline
	case noSpot:
		limits.PurchaseModels = slices.DeleteFunc(slices.Clone(limits.PurchaseModels), func(m string) bool { return m == "spot" })
		if len(limits.PurchaseModels) == 0 {
			limits.PurchaseModels = []string{"on_demand"}
		}
	case euOnly:
		limits.Countries = []string{"EU"}
		limits.ExcludeCountries, limits.Regions = nil, nil
	default:
		return request, details
	}
	request.Constraints = &limits
	return request, name
}

// usual reports whether offers are bought so where nothing is said.
func usual(model string) bool { return model == "on_demand" || model == "spot" }
