package convert

import (
	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// stopped writes the rules for stopped instances; nil if there are none.
func stopped(rules []catalog.StoppedRule) []schemas.StoppedRule {
	var out []schemas.StoppedRule
	for _, r := range rules {
		out = append(out, schemas.StoppedRule{
			Item: r.Item, Text: r.Text, ComputeBilled: yesNo(r.ComputeBilled), AsOf: known(r.AsOf.String()), Source: r.Source,
		})
	}
	return out
}

// images writes the statements of images that are ready to run; nil if there are none.
func images(all []catalog.PreinstalledImage) []schemas.ReadyImage {
	var out []schemas.ReadyImage
	for _, i := range all {
		out = append(out, schemas.ReadyImage{Item: i.Item, Text: i.Text, AsOf: known(i.AsOf.String()), Source: i.Source})
	}
	return out
}
