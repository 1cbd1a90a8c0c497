package seed

import (
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// model reads the shape of a named model.
func (l *loader) model(x *row) {
	m := catalog.Model{
		Name: x.required(), Aliases: x.list(), Family: x.text(), Kind: x.required(),
		Params: x.number(), ActiveParams: x.number(),
		Layers: int(x.integer()), Width: int(x.integer()), FFN: int(x.integer()), GatedFFN: x.yes(),
		Heads: int(x.integer()), KVHeads: int(x.integer()), HeadSize: int(x.integer()),
		Vocabulary: int(x.integer()), TiedHead: x.yes(), Experts: int(x.integer()), Context: int(x.integer()),
	}
	m.Source = l.cited(x).Source
	l.parts.Models = append(l.parts.Models, m)
}

// list is the next cell as texts joined by "|".
func (x *row) list() []string {
	text := x.text()
	if text == "" {
		return nil
	}
	return strings.Split(text, "|")
}
