package record

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// Portfolio is a tenant's request for a forecast.
type Portfolio struct {
	Tenant    string `json:"tenant"`
	ID        string `json:"id"`
	Revision  int64  `json:"revision"`
	Document  string `json:"document"`
	ChangedAt string `json:"changed_at"`
}

// FromPortfolio is the stored form of a portfolio.
func FromPortfolio(p catalog.Portfolio) Portfolio {
	return Portfolio{Tenant: string(p.Tenant), ID: string(p.ID), Revision: p.Revision, Document: string(p.Document), ChangedAt: Instant(p.ChangedAt)}
}

// Parse is the portfolio.
func (p Portfolio) Parse() (catalog.Portfolio, error) {
	changed, err := parseInstant(p.ChangedAt)
	if err != nil {
		return catalog.Portfolio{}, fmt.Errorf("portfolio %s of tenant %s: %w", p.ID, p.Tenant, err)
	}
	return catalog.Portfolio{
		Tenant: catalog.TenantID(p.Tenant), ID: catalog.PortfolioID(p.ID), Revision: p.Revision, Document: []byte(p.Document), ChangedAt: changed,
	}, nil
}
