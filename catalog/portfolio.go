package catalog

import (
	"fmt"
	"time"
)

// PortfolioID names a portfolio among those of its tenant.
type PortfolioID string

// ParsePortfolioID reads 1 to 64 lower-case letters, digits and inner hyphens.
func ParsePortfolioID(text string) (PortfolioID, error) {
	for i := range len(text) {
		c := text[i]
		inner := i > 0 && i < len(text)-1
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' && inner) {
			return "", fmt.Errorf("parse portfolio %q: want lower-case letters, digits and inner hyphens", text)
		}
	}
	if len(text) == 0 || len(text) > 64 {
		return "", fmt.Errorf("parse portfolio %q: want 1 to 64 characters", text)
	}
	return PortfolioID(text), nil
}

// Portfolio is a tenant's request for a forecast, kept so that it can be pulled again
// and again.
type Portfolio struct {
	Tenant TenantID
	ID     PortfolioID
	// Revision counts the changes; a store refuses a change of another revision than
	// the one it holds. 0 is what nobody has stored yet.
	Revision  int64
	Document  []byte // the request, as JSON
	ChangedAt time.Time
}
