package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// addModels adds the shapes of named models.
func (b *built) addModels(in inputs) error {
	rows, err := readFiles(in.models, "name,aliases,family,params_b,active_params_b,layers,d_model,ffn_dim,gated,heads,kv_heads,head_dim,vocab,"+
		"tied_embeddings,experts,context,source,kind")
	if err != nil {
		return err
	}
	b.report.rows["models"] = len(rows)
	slices.SortFunc(rows, func(x, y record) int { return strings.Compare(x.get("name"), y.get("name")) })
	names := make(map[string]string) // folded name or alias -> model
	for _, r := range rows {
		names[catalog.FoldName(r.get("name"))] = r.get("name")
	}
	for _, r := range rows {
		source, err := b.library.cite(seed.ModelsTable, citation{text: r.get("source")}, catalog.Date{})
		if err != nil {
			return err
		}
		cells, err := modelCells(r, b.modelAliases(r, names), source)
		if err != nil {
			return err
		}
		b.add(seed.ModelsTable, cells...)
	}
	return nil
}

// modelAliases are the aliases of a model that no other model has before it.
func (b *built) modelAliases(r record, names map[string]string) string {
	var own []string
	for alias := range strings.SplitSeq(r.get("aliases"), "|") {
		key := catalog.FoldName(alias)
		if key == "" {
			continue
		}
		if taken, ok := names[key]; ok && taken != r.get("name") {
			b.report.out["alias of a model that another model has"]++
			continue
		}
		names[key] = r.get("name")
		own = append(own, alias)
	}
	return strings.Join(own, "|")
}

// modelCells are the cells of a model in the columns of its table.
func modelCells(r record, aliases, source string) ([]string, error) {
	params, err := billions(r, "params_b")
	if err != nil {
		return nil, err
	}
	active, err := billions(r, "active_params_b")
	if err != nil {
		return nil, err
	}
	if r.get("name") == "" || r.get("kind") == "" || params == "" {
		return nil, r.fault("params_b", "a name, a kind and a number of parameters")
	}
	cells := []string{r.get("name"), aliases, r.get("family"), r.get("kind"), params, cmp.Or(active, params)}
	for _, c := range []struct {
		column string
		check  func(record, string) (string, error)
	}{
		{"layers", whole}, {"d_model", whole}, {"ffn_dim", whole}, {"gated", yesNo}, {"heads", whole}, {"kv_heads", whole},
		{"head_dim", whole}, {"vocab", whole}, {"tied_embeddings", yesNo}, {"experts", whole}, {"context", whole},
	} {
		cell, err := c.check(r, c.column)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
	}
	return append(cells, source), nil
}

// billions is a number of billions as a whole number.
func billions(r record, column string) (string, error) {
	text := r.get(column)
	if text == "" {
		return "", nil
	}
	n, err := exact(text)
	if err != nil {
		return "", r.with(column, err)
	}
	return n.Mul(decimal.NewFromInt(1e9)).String(), nil
}

// yesNo checks that a cell is yes, no or empty.
func yesNo(r record, column string) (string, error) {
	if _, err := catalog.ParseTri(r.get(column)); err != nil {
		return "", r.with(column, err)
	}
	return r.get(column), nil
}

// addFX adds the exchange rates of the currencies that the tables use.
func (b *built) addFX(in inputs) error {
	rows, err := readFiles(in.fx, "month,currency,units_per_usd,source")
	if err != nil {
		return err
	}
	b.report.rows["exchange rates"] = len(rows)
	for _, r := range rows {
		if !b.currencies[r.get("currency")] {
			continue
		}
		month, err := catalog.ParseDate(r.get("month"))
		if err != nil || month.Day != 0 || !month.Known() {
			return r.fault("month", "YYYY-MM")
		}
		if _, err := exact(r.get("units_per_usd")); err != nil {
			return r.with("units_per_usd", err)
		}
		source, err := b.library.cite(seed.FXTable, citation{text: r.get("source")}, month)
		if err != nil {
			return err
		}
		b.add(seed.FXTable, month.String(), r.get("currency"), r.get("units_per_usd"), source)
	}
	slices.SortFunc(b.tables[seed.FXTable], slices.Compare)
	return nil
}
