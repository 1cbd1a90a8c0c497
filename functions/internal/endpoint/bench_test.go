package endpoint

import (
	"testing"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// BenchmarkAround is what an answer takes besides Recommend of the engine: the text is
// understood and made a request of the engine, whose answer is made one of the API and
// written.
func BenchmarkAround(b *testing.B) {
	const text = "qlora 70b in 24h eu only"
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	h := NewRecommend(engine.New(s), noon)
	asked, err := h.understand(text)
	if err != nil {
		b.Fatal(err)
	}
	request, err := convert.Request(s, asked.Request, noon())
	if err != nil {
		b.Fatal(err)
	}
	answer, err := h.engine.Recommend(request)
	if err != nil {
		b.Fatal(err)
	}
	response, err := convert.Response(s, answer, asked)
	if err != nil {
		b.Fatal(err)
	}
	for _, part := range []struct {
		name string
		done func() error
	}{
		{"understand", func() error { _, err := h.understand(text); return err }},
		{"request", func() error { _, err := convert.Request(s, asked.Request, noon()); return err }},
		{"response", func() error { _, err := convert.Response(s, answer, asked); return err }},
		{"write", func() error { _, err := apigw.JSON(&response); return err }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := part.done(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
