package schemas

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// texts are JSON texts whose objects may have a field twice.
func texts() *rapid.Generator[string] {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0061"`, `"c\"}{"`, `"~/"`, `""`, `"é"`})
	leaf := rapid.SampledFrom([]string{"0", "-1.5e3", "true", "false", "null", `"x"`, `"[{\\"`, `"\\\""`, "1e999", "-1e999"})
	return rapid.Custom(func(t *rapid.T) string {
		var value func(depth int) string
		value = func(depth int) string {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind < 2 {
				return leaf.Draw(t, "leaf")
			}
			var parts []string
			for range rapid.IntRange(0, 3).Draw(t, "parts") {
				part := space.Draw(t, "space") + value(depth-1) + space.Draw(t, "space")
				if kind == 2 {
					part = space.Draw(t, "space") + key.Draw(t, "key") + space.Draw(t, "space") + ":" + part
				}
				parts = append(parts, part)
			}
			inner := strings.Join(parts, ",")
			if kind == 2 {
				return "{" + inner + "}"
			}
			return "[" + inner + "]"
		}
		return space.Draw(t, "space") + value(3) + space.Draw(t, "space")
	})
}

// slowly finds the first problem of a document by the tokens of encoding/json.
func slowly(d *json.Decoder, pointer string) (problem string, found bool) {
	token, err := d.Token()
	if err != nil {
		return pointer + ": out of range", true
	}
	if n, ok := token.(json.Number); ok {
		if _, err := strconv.ParseFloat(string(n), 64); err != nil {
			return pointer + ": out of range", true
		}
	}
	open, ok := token.(json.Delim)
	if !ok {
		return "", false
	}
	seen := make(map[string]bool)
	for i := 0; d.More(); i++ {
		step := strconv.Itoa(i)
		if open == '{' {
			name, _ := d.Token()
			step = name.(string)
			if seen[step] {
				return pointerTo(pointer, step) + ": twice", true
			}
			seen[step] = true
		}
		if problem, found := slowly(d, pointerTo(pointer, step)); found {
			return problem, true
		}
	}
	_, _ = d.Token()
	return "", false
}

// A document is refused at the place where the tokens show its first problem, and
// otherwise read as encoding/json reads it.
func TestFirstProblem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "document")
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		want, bad := slowly(d, "")
		got, err := parse([]byte(text))
		if !bad {
			var plain any
			_ = json.Unmarshal([]byte(text), &plain)
			was, _ := json.Marshal(plain)
			is, _ := json.Marshal(got)
			if err != nil || !bytes.Equal(was, is) {
				t.Fatalf("%s is refused: %v", text, err)
			}
			return
		}
		if err == nil {
			t.Fatalf("%s is taken, want %q", text, want)
		}
		first := err.(*ValidationError).Problems[0]
		pointer, what, _ := strings.Cut(want, ": ")
		if first.Pointer != pointer || !strings.Contains(first.Message, what) {
			t.Fatalf("%s: got %+v, want %q", text, first, want)
		}
	})
}
