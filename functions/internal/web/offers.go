package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// offerInputs are the filters of offers; their names are the API's.
func offerInputs() []input {
	first := within("first", []input{
		{Name: "q", Label: "Search", Hint: "Provider, type of instance, GPU or region"},
		{Name: "gpu", As: asList, Label: "GPU", Hint: "Such as A100, or none for CPU only", List: "gpus"},
		{Name: "sort", As: asOne, Label: "Order", Usual: true, Choices: []choice{
			{"price_per_gpu_hour", "Price of a GPU"}, {"price_per_instance_hour", "Price of an instance"},
			{"cost_per_effective_pflop_hour", "Price of computing"}, {"as_of", "Newest price"},
		}},
		{Name: "purchase_model", As: asSeveral, Label: "Bought as", Choices: purchaseModels()},
	}...)
	more := within("more", []input{
		{Name: "gpu_count", As: asList, Label: "How many GPUs", Hint: "Such as 1, 8"},
		{Name: "provider", As: asList, Label: "Provider", List: "providers"},
		{Name: "region", As: asList, Label: "Region or city"},
		{Name: "country", As: asList, Label: "Countries", Hint: "Such as EU, US"},
		{Name: "min_vram_gb", Label: "Least GPU memory, in GB"},
		{Name: "max_price_per_gpu_hour", Label: "Highest USD per GPU-hour"},
		{Name: "provider_class", As: asSeveral, Label: "From", Choices: providerClasses()},
		{Name: "ecc", As: asFlag, Label: "ECC memory only"},
		{Name: "nvlink", As: asFlag, Label: "NVLink only"},
	}...)
	return slices.Concat(first, more)
}

// offersOnPage is how many offers a page shows.
const offersOnPage = 25

// listing is a page of offers.
type listing struct {
	Form        form
	Response    *schemas.OffersResponse
	Rows        []row
	From, To    int // which of all offers these are, counted from one
	Page        int
	Next, First string
	Filters     int      // how many filters are set
	Near        []string // what may have been meant
	Sorts       map[string]string
	Total       string
	NoData      bool // no source has such offers at all
}

// row is an offer in texts.
type row struct {
	*schemas.Offer
	Hardware, Purchase     string
	PerGPU, PerInstance    string
	Memory, Where, Age     string
	Link                   string
	Old, Derived, NoPrice  bool
	ClassLabel, Connection string
	Attested               []string // each once
}

// offers is the page that lists offers.
func (x *Site) offers(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(append(parametersOf(offerInputs()), "cursor", "page")...); err != nil {
		return apigw.Response{}, err
	}
	shown := listing{Form: v.form(offerInputs(), "", v.request.Query), Page: pageNumber(v.request.Query.Get("page")), Sorts: make(map[string]string)}
	query := v.offersQuery(&shown)
	var response schemas.OffersResponse
	err := v.get(ctx, endpoint.OffersPath, query, &response)
	status := http.StatusOK
	if blamed := shown.Form.blameParameters(err, v.say); blamed {
		status = http.StatusBadRequest
	} else if err != nil {
		return apigw.Response{}, err
	}
	p := v.page(v.say("GPU offers"), nil)
	shown.Response, shown.Total = &response, display.Grouped(strconv.Itoa(response.Total))
	shown.NoData = response.Reason != nil && *response.Reason == "no_data"
	for i := range response.Offers {
		r := rowOf(&response.Offers[i])
		r.Link = p.OfferLink(r.ID)
		shown.Rows = append(shown.Rows, r)
	}
	shown.From, shown.To = (shown.Page-1)*offersOnPage+1, (shown.Page-1)*offersOnPage+len(shown.Rows)
	if response.NextCursor != nil {
		shown.Next = p.Here("cursor", *response.NextCursor, "page", strconv.Itoa(shown.Page+1))
	}
	if shown.Page > 1 {
		shown.First = p.Here("cursor", "", "page", "")
	}
	for _, c := range shown.Form.Fields["sort"].Choices {
		shown.Sorts[c.Value] = p.Here("sort", c.Value, "cursor", "", "page", "")
	}
	p.Content = shown
	return x.render(status, "offers", p)
}

// offersQuery is the API's query for a page of offers; what is empty is left out.
func (v *visit) offersQuery(shown *listing) url.Values {
	query := v.instant()
	query.Set("limit", strconv.Itoa(offersOnPage))
	if cursor := v.request.Query.Get("cursor"); cursor != "" {
		query.Set("cursor", cursor)
	}
	for _, in := range offerInputs() {
		f := shown.Form.Fields[in.Name]
		value, ok := f.value()
		if !ok {
			continue
		}
		if in.Name != "sort" && in.Name != "q" && in.Name != "gpu" && in.Name != "purchase_model" {
			shown.Filters++
		}
		switch x := value.(type) {
		case []string:
			query[in.Name] = x
		case bool:
			query.Set(in.Name, "true")
		case string:
			query.Set(in.Name, x)
		}
	}
	return query
}

// blameParameters puts problems with query parameters beside the fields of their names.
// ok is false if the error is none of a request.
func (f *form) blameParameters(err error, say func(string, ...any) string) (ok bool) {
	for name, field := range f.Fields {
		field.Pointer = "/query/" + name
		f.Fields[name] = field
	}
	return f.blame(err, say)
}

// mostPages is more pages than there are.
const mostPages = 1_000_000

// pageNumber is the number of a page, the first if the text says none.
func pageNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostPages {
		return 1
	}
	return n
}

// rowOf puts an offer in texts.
func rowOf(o *schemas.Offer) row {
	r := row{
		Offer: o, Hardware: "CPU", Purchase: labelOf(purchaseModels(), o.PurchaseModel), ClassLabel: labelOf(providerClasses(), o.ProviderClass),
		Where: o.Region, Age: display.Days(o.AgeDays), Old: o.Stale != nil && *o.Stale, NoPrice: o.PricePerInstanceHour == nil,
		Attested: slices.Compact(slices.Sorted(slices.Values(o.Compliance))),
		PerGPU:   priceText(o.PricePerGPUHour), PerInstance: priceText(o.PricePerInstanceHour),
	}
	if o.GPU != nil {
		r.Hardware = *o.GPU
		if o.GPUCount != nil {
			r.Hardware = o.GPUCount.String() + " × " + *o.GPU
		}
	} else if o.VCPU != nil {
		r.Hardware = o.VCPU.String() + " vCPU"
	}
	if o.Country != nil && !strings.EqualFold(*o.Country, o.Region) {
		r.Where += ", " + *o.Country
	}
	if o.VRAMPerGPUGB != nil {
		r.Memory = *o.VRAMPerGPUGB
	}
	if o.Interconnect != nil {
		r.Connection = *o.Interconnect
	}
	return r
}

// priceText is an hourly price with four decimals at most; "" if it is unknown.
func priceText(price *string) string {
	if price == nil {
		return ""
	}
	return display.Hourly(*price)
}

// offered is an offer and what it cost.
type offered struct {
	Response *schemas.OfferResponse // nil if it is not listed any longer
	ID       string
	Row      row
	History  []pricePoint
	Picture  *history
	Purchase []purchase
	Forecast string
	Native   string
}

// pricePoint is a price that an offer had.
type pricePoint struct{ AsOf, Price, Per, Source string }

// purchase is an offer's instance for a month, always on, under one purchase model.
type purchase struct{ Model, Hourly, Monthly, Why, BreakEven string }

// history is prices over time.
type history struct {
	Steps      []line
	Dots       []dot
	Up, Across []tick
}

// line is a straight line of a picture.
type line struct{ X1, Y1, X2, Y2 string }

// offer is the page of an offer.
func (x *Site) offer(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(); err != nil {
		return apigw.Response{}, err
	}
	id := v.request.Values["id"]
	var earlier schemas.HistoryResponse
	if err := v.getOne(ctx, endpoint.HistoryPath, map[string]string{"id": id}, &earlier); err != nil {
		return apigw.Response{}, err
	}
	shown := offered{ID: printable(id), Picture: historyOf(earlier.History)}
	for _, h := range slices.Backward(earlier.History) {
		shown.History = append(shown.History, pricePoint{display.OrUnknown(h.AsOf), priceText(h.Price) + " " + h.Currency, display.Per(h.Basis), h.Source})
	}
	var response schemas.OfferResponse
	p := v.page(shown.ID, nil)
	if _, listed := v.snapshot.Offer(catalog.OfferID(id)); listed {
		if err := v.getOne(ctx, endpoint.OfferPath, map[string]string{"id": id}, &response); err != nil {
			return apigw.Response{}, err
		}
		shown.Response, shown.Row = &response, rowOf(&response.Offer)
		shown.Native = display.NativePrice(&response.Offer)
		shown.Forecast = p.Link("forecast", "offer_id", id)
		purchases, err := v.purchases(ctx, id)
		if err != nil {
			return apigw.Response{}, err
		}
		shown.Purchase = purchases
		p.Title = shown.Row.Hardware + ", " + response.Offer.Provider + " " + response.Offer.SKU + " - Tierwise"
	}
	p.Content = shown
	return x.render(http.StatusOK, "offer", p)
}

// purchases are what an offer's instance costs in a month under every purchase model;
// none if its bill can't be made, such as of an offer without a price.
func (v *visit) purchases(ctx context.Context, id string) ([]purchase, error) {
	var response schemas.TCOResponse
	asked := schemas.TCORequest{Language: string(v.lang), Option: schemas.Option{Resources: []schemas.Resource{{OfferID: id}}}}
	if err := v.post(ctx, endpoint.TCOPath, asked, &response); err != nil {
		if _, invalid := errors.AsType[*schemas.ValidationError](err); invalid {
			return nil, nil
		}
		return nil, err
	}
	var all []purchase
	for _, o := range response.Options {
		for _, r := range o.Resources {
			for _, m := range r.PurchaseModels {
				all = append(all, purchaseOf(&m, response.Currency))
			}
		}
	}
	return all, nil
}

// purchaseOf puts a purchase model in texts.
func purchaseOf(m *schemas.Purchase, currency string) purchase {
	p := purchase{Model: labelOf(purchaseModels(), m.PurchaseModel), Hourly: priceText(m.PricePerInstanceHour)}
	if m.Reason != nil {
		p.Why = display.PurchaseReason(*m.Reason)
	}
	if m.Amounts != nil {
		p.Monthly = display.Grouped(display.Rounded(m.Amounts.PerMonth, currency))
	}
	if m.BreakEven != nil && m.BreakEven.UtilizationPct != nil {
		p.BreakEven = display.Short(*m.BreakEven.UtilizationPct) + "%"
	}
	return p
}

// historyOf places prices by their dates. Fewer than two dated ones of one currency
// make no picture.
func historyOf(points []schemas.PricePoint) *history {
	var days, prices []float64
	first := make(map[string]bool)
	for _, p := range points {
		if p.AsOf == nil || p.Price == nil {
			continue
		}
		at, err := time.Parse(time.DateOnly, *p.AsOf)
		if err != nil {
			continue
		}
		first[p.Currency+p.Basis] = true
		days, prices = append(days, float64(at.Unix()/86400)), append(prices, drawn(*p.Price))
	}
	if len(days) < 2 || len(first) != 1 {
		return nil
	}
	across, up := scale{low: slices.Min(days), high: max(slices.Max(days), slices.Min(days)+1), from: 14, to: 97}, scaleOf(prices, true, 84, 10)
	h := &history{Up: up.ticks(4)}
	for i := range days {
		h.Dots = append(h.Dots, dot{X: percent(across.at(days[i])), Y: percent(up.at(prices[i])), Total: display.Hourly(strconv.FormatFloat(prices[i], 'f', -1, 64)), Hours: dayText(days[i])})
		if i > 0 {
			corner := line{percent(across.at(days[i-1])), percent(up.at(prices[i-1])), percent(across.at(days[i])), percent(up.at(prices[i-1]))}
			h.Steps = append(h.Steps, corner, line{corner.X2, corner.Y2, corner.X2, percent(up.at(prices[i]))})
		}
	}
	h.Across = []tick{{percent(14), dayText(days[0]), "start"}, {percent(97), dayText(days[len(days)-1]), "end"}}
	return h
}

// dayText is a day counted from 1970.
func dayText(day float64) string {
	return time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly)
}
