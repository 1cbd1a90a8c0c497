package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// homed is the page that asks.
type homed struct {
	Health schemas.Health
	Offers string
	Form   form
}

// home is the page that asks.
func (x *Site) home(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(); err != nil {
		return apigw.Response{}, err
	}
	p := v.page(v.say("The cheapest way to rent GPUs for a job"), x.homeOf(ctx, v, v.planForm("finetune", nil)))
	return x.render(http.StatusOK, "home", p)
}

// homeOf is what the page that asks shows, with its form filled in.
func (x *Site) homeOf(ctx context.Context, v *visit, f form) homed {
	health := endpoint.HealthOf(ctx, v.snapshot)
	return homed{Health: health, Offers: display.Grouped(strconv.Itoa(health.Offers)), Form: f}
}
