package schemas

// Charts are the paths of an answer's pictures, "" for those that it has not.
type Charts struct {
	Plan     string `json:"plan,omitempty"` // of the best one
	Frontier string `json:"frontier,omitempty"`
	Forecast string `json:"forecast,omitempty"`
}
