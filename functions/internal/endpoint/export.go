package endpoint

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/schemas"
)

// export writes a forecast in one format.
type export func(*forecast.Forecast) (apigw.Response, error)

// exportOf is the format that the query parameters name.
func (h *Forecast) exportOf(ctx context.Context, parameters map[string]string) (export, error) {
	format, stated := parameters["format"]
	drawn, err := h.charts.asked(parameters)
	if err != nil {
		return nil, err
	}
	if parameters["charts"] == "true" && stated && format != "json" {
		return nil, apigw.InvalidParameter("charts", "want it with format=json only, which has a place for links")
	}
	if _, given := parameters["focus_version"]; given && format != "focus" {
		return nil, apigw.InvalidParameter("focus_version", "want it with format=focus only")
	}
	switch {
	case !stated || format == "json":
		return func(f *forecast.Forecast) (apigw.Response, error) { return h.written(ctx, f, drawn) }, nil
	case format == "csv":
		return func(f *forecast.Forecast) (apigw.Response, error) { return file(forecast.CSV(f)), nil }, nil
	case format == "xlsx":
		return workbook, nil
	case format == "focus":
		return focus(parameters["focus_version"], h.engine.Snapshot())
	}
	return nil, apigw.InvalidParameter("format", "want json, csv, xlsx or focus; got "+schemas.Quoted(format))
}

// written writes a forecast as JSON, with its picture or without.
func (h *Forecast) written(ctx context.Context, f *forecast.Forecast, drawn bool) (apigw.Response, error) {
	response := convert.Forecast(f)
	response.Staleness = staleness(ctx)
	if drawn {
		if err := h.charts.addToForecast(&response); err != nil {
			return apigw.Response{}, err
		}
	}
	return apigw.JSON(response)
}

// workbook writes a forecast for spreadsheets.
func workbook(f *forecast.Forecast) (apigw.Response, error) {
	book, err := forecast.XLSX(f)
	return file(book), err
}

// focus writes a forecast in a version of FOCUS, "" for the first.
func focus(version string, names forecast.Places) (export, error) {
	v := forecast.FocusVersion(cmp.Or(version, string(forecast.Focus12)))
	if v != forecast.Focus12 && v != forecast.Focus13 {
		return nil, apigw.InvalidParameter("focus_version", "want 1.2 or 1.3; got "+schemas.Quoted(version))
	}
	return func(f *forecast.Forecast) (apigw.Response, error) { return file(forecast.Focus(f, v, names)), nil }, nil
}

// What an answer may weigh: a function's answer has 6 MiB at most, of which base64
// takes a quarter, and what is larger than a page is worth compressing.
const (
	mostBytes       = 4 << 20
	worthCompressed = 64 << 10
)

// attached is an answer that is a file, compressed if the client takes that and it is
// worth it. The error is a *schemas.ValidationError if it is too large all the same.
func attached(r *apigw.Request, answer apigw.Response) (apigw.Response, error) {
	if len(answer.Body) > worthCompressed && acceptsGzip(r.Header.Get("Accept-Encoding")) && answer.Header["content-encoding"] == "" {
		var b strings.Builder
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, answer.Body) // a builder takes everything
		_ = w.Close()
		answer.Body = b.String()
		answer.Header["content-encoding"], answer.Header["vary"] = "gzip", "accept-encoding"
	}
	if len(answer.Body) > mostBytes {
		return apigw.Response{}, apigw.InvalidParameter("format",
			fmt.Sprintf("the answer has %d bytes, and %d are the most: ask for fewer months or workloads, or with the header Accept-Encoding: gzip", len(answer.Body), mostBytes))
	}
	return answer, nil
}

// acceptsGzip reports whether a header names gzip, or everything, and does not refuse it.
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(strings.ToLower(header), ",") {
		name, weight, weighed := strings.Cut(coding, ";")
		refused := weighed && strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") == ""
		if name = strings.TrimSpace(name); (name == "gzip" || name == "*") && !refused {
			return true
		}
	}
	return false
}

// file is an answer that is a file.
func file(f forecast.File) apigw.Response {
	return apigw.Response{Body: string(f.Content), Header: map[string]string{
		"content-type": f.MediaType, "content-disposition": `attachment; filename="` + f.Name + `"`, "x-content-type-options": "nosniff",
	}}
}
