package query

import (
	"strings"
	"unicode"
)

// addPlaces enters the countries where the catalogue has regions, and the two
// groups of countries that a request may name.
func addPlaces(l *lexicon) {
	for line := range strings.SplitSeq(countries, "\n") {
		code, names, _ := strings.Cut(line, " ")
		l.add(country, code, names)
	}
	for code := range strings.FieldsSeq(shortCodes) {
		l.add(countryShort, code, strings.ToLower(code))
	}
	l.say("国内|中国内地|内地", fact{slotCountry, "CN"})
	l.say("国外|海外|境外", fact{slotNoCountry, "CN"})
	l.add(countryShort, "GB", "uk")
}

// shortCodes are the ISO 3166-1 codes that are read as countries where something
// marks them as places. Codes that are English words, states or units (IN, IT, NO,
// CA, IL, GB) are not among them.
const shortCodes = "US DE FR JP KR CN AU FI SE NL PL SG TW HK BR ES ZA MX AE CH VN CL RO BG SA AT IE MA NZ QA RU PT GR CZ HR SI HU BH NG DK OM PE BE"

// countries is one country or group a line: the code, and its names.
const countries = `EU eu|european union|欧盟|欧盟国家
EEA eea|european economic area|欧洲经济区|europe|european|欧洲
US usa|u.s|u.s.a|united states|united states of america|america|美国
GB u.k|united kingdom|great britain|britain|england|英国
CN china|mainland china|prc|中国|中国大陆|中国境内|大陆
HK hong kong|hongkong|香港|中国香港
TW taiwan|台湾|中国台湾
IN india|印度
CA canada|加拿大
DE germany|德国
JP japan|日本
FI finland|芬兰
AU australia|澳大利亚|澳洲
KR korea|south korea|韩国
FR france|法国
SE sweden|瑞典
NO norway|挪威
ID indonesia|印尼|印度尼西亚
CH switzerland|瑞士
IT italy|意大利
PL poland|波兰
SG singapore|新加坡
NL netherlands|the netherlands|holland|荷兰
TH thailand|泰国
BR brazil|巴西
ES spain|西班牙
ZA south africa|南非
MX mexico|墨西哥
AE uae|united arab emirates|阿联酋
MY malaysia|马来西亚
VN vietnam|越南
IL israel|以色列
CL chile|智利
RO romania|罗马尼亚
EE estonia|爱沙尼亚
BG bulgaria|保加利亚
SA saudi arabia|沙特|沙特阿拉伯
AT austria|奥地利
IE ireland|爱尔兰
MA morocco|摩洛哥
NZ new zealand|新西兰
QA qatar|卡塔尔
RU russia|俄罗斯
PT portugal|葡萄牙
GR greece|希腊
CZ czechia|czech republic|捷克
HR croatia|克罗地亚
SI slovenia|斯洛文尼亚
HU hungary|匈牙利
SN senegal|塞内加尔
BH bahrain|巴林
NG nigeria|尼日利亚
PH philippines|the philippines|菲律宾
DK denmark|丹麦
OM oman|阿曼
PE peru|秘鲁
BE belgium|比利时
IS iceland|冰岛
LU luxembourg|卢森堡`

// place reads a country. Two letters are a country only where something says so:
// capitals, "in us", "us only", "non-us".
func (r *reader) place(i int) item {
	if p, end := r.match(i, country); end > i {
		return item{class: said, end: end, facts: []fact{{slotCountry, p.value}}}
	}
	p, end := r.match(i, countryShort)
	switch {
	case end == i:
		return item{}
	case !r.marked(i) && i > 0 && p.value == "US" && isOneOf(r.tokens[i-1].text, "for help give let show tell get find"):
		return item{class: skips, end: end} // the pronoun
	case !r.marked(i):
		return item{}
	}
	return item{class: said, end: end, facts: []fact{{slotCountry, p.value}}}
}

// marked reports whether the word at i is marked as a place.
func (r *reader) marked(i int) bool {
	tok := r.tokens[i]
	if unicode.IsUpper(r.source[tok.start]) || tok.text == "uk" {
		return true
	}
	if i+1 < len(r.tokens) && isOneOf(r.tokens[i+1].text, "only based region regions datacenter hosted") {
		return true
	}
	if next := max(r.after(i+1, joinsOr), r.after(i+1, joinsAnd)); next > i+1 && r.after(next, country) > next {
		return true // "us or canada"
	}
	for k := len(r.items) - 1; k >= 0; k-- {
		switch r.items[k].class {
		case skips:
			continue
		case marks, only, denies:
			return true
		}
		return false
	}
	return false
}

// isOneOf reports whether the word is in a list that spaces separate.
func isOneOf(word, list string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
