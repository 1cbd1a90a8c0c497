package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed *.schema.json openapi.json
var files embed.FS

// Name names one of the schemas.
type Name string

// The schemas.
const (
	RecommendRequestSchema  Name = "recommend.request"
	RecommendResponseSchema Name = "recommend.response"
	EstimateRequestSchema   Name = "estimate.request"
	EstimateResponseSchema  Name = "estimate.response"
	TCORequestSchema        Name = "tco.request"
	TCOResponseSchema       Name = "tco.response"
	ForecastRequestSchema   Name = "forecast.request"
	ForecastResponseSchema  Name = "forecast.response"
	PortfolioSchema         Name = "portfolio"
	OfferSchema             Name = "offer"
	OffersQuerySchema       Name = "offers.query"
	OffersResponseSchema    Name = "offers.response"
	OfferResponseSchema     Name = "offer.response"
	HistoryResponseSchema   Name = "history.response"
	GPUsQuerySchema         Name = "gpus.query"
	GPUsResponseSchema      Name = "gpus.response"
	ProvidersQuerySchema    Name = "providers.query"
	ProvidersResponseSchema Name = "providers.response"
	MeasurementSchema       Name = "measurement"
	EnrollSchema            Name = "enroll"

	MeasurementReceiptSchema   Name = "measurement.response"
	EnrolmentReceiptSchema     Name = "enroll.response"
	CoefficientsQuerySchema    Name = "coefficients.query"
	CoefficientsResponseSchema Name = "coefficients.response"

	ProblemSchema Name = "problem"
	HealthSchema  Name = "healthz"
)

// commonSchema holds what several schemas share. No document is made of it.
const commonSchema Name = "common"

// Names are all schemas.
func Names() []Name {
	return []Name{RecommendRequestSchema, RecommendResponseSchema, EstimateRequestSchema, EstimateResponseSchema,
		TCORequestSchema, TCOResponseSchema, ForecastRequestSchema, ForecastResponseSchema,
		PortfolioSchema, OfferSchema, OffersQuerySchema, OffersResponseSchema,
		OfferResponseSchema, HistoryResponseSchema, GPUsQuerySchema, GPUsResponseSchema, ProvidersQuerySchema,
		ProvidersResponseSchema, MeasurementSchema, EnrollSchema,
		MeasurementReceiptSchema, EnrolmentReceiptSchema, CoefficientsQuerySchema, CoefficientsResponseSchema, ProblemSchema, HealthSchema}
}

// Text is a schema's own document. It refers to other schemas by their file names.
func Text(name Name) ([]byte, error) {
	text, err := files.ReadFile(name.file())
	if err != nil {
		return nil, fmt.Errorf("read schema %q: %w", name, err)
	}
	return text, nil
}

// OpenAPI is the description of the API as one JSON document (OpenAPI 3.1), with all
// schemas in it. It is made of openapi.yaml by this package's tests.
func OpenAPI() ([]byte, error) {
	text, err := files.ReadFile("openapi.json")
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	return text, nil
}

// file is the name of a schema's file.
func (n Name) file() string { return string(n) + ".schema.json" }

// folder is where the schemas lie for the validator.
const folder = "schema:///"

// library is the documents of all schemas, which messages are made from, and the
// schemas themselves: each is compiled when it is first needed, since a function
// needs few of them and compiling all takes tens of milliseconds.
type library struct {
	documents documents
	compiled  map[Name]func() (*jsonschema.Schema, error)
}

// loaded is the library, made when it is first needed and never changed.
var loaded = sync.OnceValues(func() (library, error) {
	x := library{documents: make(documents), compiled: make(map[Name]func() (*jsonschema.Schema, error))}
	for _, name := range append(Names(), commonSchema) {
		text, err := Text(name)
		if err != nil {
			return library{}, err
		}
		var document any
		if err := json.Unmarshal(text, &document); err != nil {
			return library{}, fmt.Errorf("read schema %q: %w", name, err)
		}
		x.documents[folder+name.file()] = document
	}
	for _, name := range Names() {
		x.compiled[name] = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(name) })
	}
	return x, nil
})

// compile makes a validator of a schema and of those that it refers to.
func compile(name Name) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		text, err := files.ReadFile(strings.TrimPrefix(url, folder))
		return io.NopCloser(bytes.NewReader(text)), err
	}
	s, err := compiler.Compile(folder + name.file())
	if err != nil {
		return nil, fmt.Errorf("compile schema %q: %w", name, err)
	}
	return s, nil
}
