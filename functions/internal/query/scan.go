package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a token is made of.
type tokenKind uint8

const (
	wordToken   tokenKind = iota // letters of any script but Han
	numberToken                  // 7, 0.5, 1,000
	hanToken                     // one character
	symbolToken
)

// glue is how a token hangs on the one before it.
type glue uint8

const (
	apart    glue = iota
	hyphened      // by - _ . + ~ or an apostrophe, which are no tokens then
	touching
)

// token is a piece of the text. start and end count runes.
type token struct {
	kind       tokenKind
	glue       glue
	text       string // folded
	number     number // of a number token that can be read
	readable   bool
	start, end int
}

// text is a scanned text: as it was written and, rune for rune, folded.
type text struct {
	source, folded []rune
	all            string // folded
	offsets        []int  // where the runes begin in all, and its end
	tokens         []token
	chinese        bool // there is a Han character in it
}

// scan cuts a text into tokens.
func scan(s string) *text {
	t := &text{source: []rune(s)}
	t.folded = make([]rune, len(t.source))
	for i, r := range t.source {
		t.folded[i] = fold(r)
	}
	t.all = string(t.folded)
	t.offsets = make([]int, 0, len(t.source)+1)
	for at := range t.all {
		t.offsets = append(t.offsets, at)
	}
	t.offsets = append(t.offsets, len(t.all))
	t.tokens = make([]token, 0, len(t.folded)/2+4)
	for i := 0; i < len(t.folded); {
		i = t.cut(i)
	}
	return t
}

// fold maps a rune to the one it is read as: full-width forms to ASCII, typographic
// signs to plain ones, capitals to small letters. Runes map one to one, so that
// what was not understood can be shown as it was written.
func fold(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		r -= '！' - '!'
	case r < 0x80 && r != '`':
		return unicode.ToLower(r)
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	switch r {
	case '￥':
		return '¥'
	case '￡':
		return '£'
	case '‘', '’', '`', '´':
		return '\''
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case '〜', '∼':
		return '~'
	case '✕', '✖', '⨯', '∗':
		return '×'
	}
	if at := strings.IndexRune(traditional, r); at >= 0 {
		return []rune(simplified)[utf8.RuneCountInString(traditional[:at])]
	}
	return unicode.ToLower(r)
}

// traditional are characters of the grammar as Taiwan and Hong Kong write them, and
// simplified the same ones as the grammar has them.
const (
	traditional = "調訓練預處幀張塊萬億個時內過雲歐國機單雙價費長間請顯區東爾層參數競買錢節點輸務遲離線壓縮檢測評擇選這麼賣從頭開學習關鍵據臺灣韓"
	simplified  = "调训练预处帧张块万亿个时内过云欧国机单双价费长间请显区东尔层参数竞买钱节点输务迟离线压缩检测评择选这么卖从头开学习关键据台湾韩"
)

// slice is the folded text of runes start to end.
func (t *text) slice(start, end int) string { return t.all[t.offsets[start]:t.offsets[end]] }

// name is the folded text of tokens i to end with single blanks.
func (t *text) name(i, end int) string {
	name := t.slice(t.tokens[i].start, t.tokens[end-1].end)
	if strings.Contains(name, "  ") {
		name = strings.Join(strings.Fields(name), " ")
	}
	return name
}

// texts are the folded tokens.
func (t *text) texts() []string {
	texts := make([]string, 0, len(t.tokens))
	for _, tok := range t.tokens {
		texts = append(texts, tok.text)
	}
	return texts
}

// cut appends the token that begins at i, if one does, and returns where to go on.
func (t *text) cut(i int) int {
	r := t.folded[i]
	switch {
	case r == '\n':
		return t.add(symbolToken, i, i+1)
	case unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Variation_Selector):
		return i + 1
	case isDigit(r):
		return t.add(numberToken, i, t.numberEnd(i))
	case unicode.Is(unicode.Han, r):
		t.chinese = true
		return t.add(hanToken, i, i+1)
	case isLetter(r):
		return t.add(wordToken, i, t.wordEnd(i))
	case isJoint(r) && t.solid(i-1) && t.solid(i+1):
		return i + 1
	case (r == '<' || r == '>') && t.at(i+1) == '=':
		return t.add(symbolToken, i, i+2)
	}
	return t.add(symbolToken, i, i+1)
}

// add appends a token and returns its end.
func (t *text) add(kind tokenKind, start, end int) int {
	tok := token{kind: kind, text: t.slice(start, end), start: start, end: end}
	if n := len(t.tokens); n > 0 && t.solid(start) && t.solid(start-1) {
		tok.glue = touching
	} else if n > 0 && t.solid(start) && t.tokens[n-1].end == start-1 && isJoint(t.at(start-1)) && t.solid(start-2) {
		tok.glue = hyphened
	}
	switch kind {
	case symbolToken:
		tok.text = t.symbol(tok)
	case numberToken:
		tok.number, tok.readable = parseNumber(tok.text)
	}
	t.tokens = append(t.tokens, tok)
	return end
}

// symbol is the text of a symbol token. A - or ! or ~ in front of something takes
// it back or blurs it, and is then written with a circumflex; a + behind a number
// is written "^+".
func (t *text) symbol(tok token) string {
	free := !t.solid(tok.start-1) && !unicode.Is(unicode.Han, t.at(tok.start-1))
	next := t.at(tok.end)
	switch tok.text {
	case "≤":
		return "<="
	case "≥":
		return ">="
	case "-", "!", "~":
		if free && (t.solid(tok.end) || unicode.Is(unicode.Han, next)) {
			return "^" + tok.text
		}
	case "+":
		if !free {
			return "^+"
		}
	case "*":
		if n := len(t.tokens); n > 0 && t.tokens[n-1].kind != symbolToken && t.solid(tok.start-1) == t.solid(tok.end) {
			return "×"
		}
	}
	return tok.text
}

// wordEnd is the end of the word that begins at i. The x of "8xh100" is a word of
// its own.
func (t *text) wordEnd(i int) int {
	if t.folded[i] == 'x' && isDigit(t.at(i-1)) {
		return i + 1
	}
	for i < len(t.folded) && isLetter(t.folded[i]) {
		i++
	}
	return i
}

// numberEnd is the end of the number that begins at i. Two numbers on both sides of
// a comma, a point, a slash or a colon that make no number together ("1.2.3",
// "1,50", "24/7") stay one token, which no rule can read. Behind a letter there
// are no thousands: "a100,200 usd" holds 100 and 200.
func (t *text) numberEnd(i int) int {
	name := isLetter(t.at(i - 1))
	end := t.digitsEnd(i)
	if !name && end-i <= 3 {
		for t.at(end) == ',' && t.source[end] == ',' && t.digitsEnd(end+1)-end == 4 {
			end += 4
		}
	}
	if t.at(end) == '.' && isDigit(t.at(end+1)) {
		end = t.digitsEnd(end + 1)
	}
	for isDigit(t.at(end+1)) && t.splits(end, name) {
		end = t.digitsEnd(end + 1)
	}
	return end
}

// splits reports whether the rune at i spoils the numbers on both sides of it. A
// full-width comma only ever separates.
func (t *text) splits(i int, name bool) bool {
	switch t.folded[i] {
	case '.':
		return true
	case ',', '/', ':':
		return !name && t.source[i] < 0x80
	}
	return false
}

// digitsEnd is the end of the digits that begin at i.
func (t *text) digitsEnd(i int) int {
	for isDigit(t.at(i)) {
		i++
	}
	return i
}

// at is the folded rune at i, 0 outside of the text.
func (t *text) at(i int) rune {
	if i < 0 || i >= len(t.folded) {
		return 0
	}
	return t.folded[i]
}

// solid reports whether the rune at i can be part of a joined word.
func (t *text) solid(i int) bool {
	r := t.at(i)
	return isDigit(r) || isLetter(r) || strings.ContainsRune("$€£¥₹₩%×", r) || r == '*' && t.solidStar(i)
}

// solidStar reports whether the asterisk at i multiplies: "4*a100".
func (t *text) solidStar(i int) bool {
	left, right := t.at(i-1), t.at(i+1)
	return (isDigit(left) || isLetter(left)) && (isDigit(right) || isLetter(right))
}

// isDigit reports whether r is one of the ten digits.
func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isLetter reports whether r belongs to a word. Digits of other scripts and
// combining marks do.
func isLetter(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z'
	}
	return !unicode.Is(unicode.Han, r) && unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// isJoint reports whether r joins the parts of a word.
func isJoint(r rune) bool { return strings.ContainsRune("-_.+'~", r) }
