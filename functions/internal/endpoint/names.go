package endpoint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/query"
)

// namesOf are the words of a catalogue that a text may use.
func namesOf(s *catalog.Snapshot) query.Names {
	return query.Names{
		GPU:      gpuName(s),
		Model:    modelName(s),
		Provider: providerNames(s).finder(),
		Region:   regionNames(s).finder(),
	}
}

// starts are the first two letters or digits of names. Nearly every piece of a text
// is no name, and most are known not to be by these alone.
type starts map[[2]rune]bool

// startOf are the first two letters or digits of a text, in lower case.
func startOf(text string) (start [2]rune) {
	n := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		start[n] = unicode.ToLower(r)
		if n++; n == len(start) {
			break
		}
	}
	return start
}

// guard is a look-up that is made only for what may be a name.
func (x starts) guard(find func(string) (string, bool)) func(string) (string, bool) {
	return func(text string) (string, bool) {
		if !x[startOf(text)] {
			return "", false
		}
		return find(text)
	}
}

// gpuName finds a variant, a memory size of open form ("A100-80GB") or a family.
func gpuName(s *catalog.Snapshot) func(string) (string, bool) {
	begin := make(starts)
	for _, id := range s.GPUIDs() {
		gpu, _ := s.GPU(id)
		begin[startOf(string(id))], begin[startOf(gpu.Family)] = true, true
	}
	for word := range strings.FieldsSeq(gpuMakers) {
		begin[startOf(word)] = true
	}
	for _, first := range "0123456789abcdefghijklmnopqrstuvwxyz" {
		for _, digit := range "0123456789" {
			begin[[2]rune{first, digit}] = true // "4090", "80GB A100", "A6000"
		}
	}
	return begin.guard(func(text string) (string, bool) {
		ids := gpusCalled(s, text)
		if len(ids) == 0 {
			return "", false
		}
		for _, id := range ids {
			if slices.Equal(s.GPUVariants(string(id)), ids) {
				return string(id), true
			}
		}
		gpu, ok := s.GPU(ids[0])
		return gpu.Family, ok
	})
}

// gpuMakers are the words that names of GPUs begin with besides what tells them apart.
const gpuMakers = "nvidia tesla geforce rtx gtx quadro titan amd radeon instinct mi intel gaudi habana max pro google tpu aws trainium inferentia"

// gpusCalled are the variants of a name. The numbers of RTX and GTX cards stand alone
// in speech: "4090".
func gpusCalled(s *catalog.Snapshot, text string) []catalog.GPUID {
	ids := s.GPUVariants(memoryLast(text))
	for _, line := range []string{"", "RTX ", "GTX "} {
		if len(ids) > 0 || line != "" && (!strings.ContainsAny(text, "0123456789") || len(folded(text)) < shortestCard) {
			break
		}
		ids = s.GPUVariants(line + text)
	}
	return ids
}

// memoryLast writes the memory of a name as the catalogue does, behind it and in GB:
// "80G A100" is "A100 80GB".
func memoryLast(text string) string {
	first, rest, split := strings.Cut(text, " ")
	if size := strings.TrimSuffix(first, "b"); split && strings.HasSuffix(size, "g") && strings.Trim(size, "0123456789") == "g" {
		text = rest + " " + first
	}
	if at := len(text) - 2; at > 0 && text[at+1] == 'g' && text[at] >= '0' && text[at] <= '9' {
		return text + "b"
	}
	return text
}

// shortestCard is the length from which a card's number may stand alone.
const shortestCard = 4

// modelName finds a named model. A mixture of experts is also called by its size
// alone ("8x7b") if one family has it.
func modelName(s *catalog.Snapshot) func(string) (string, bool) {
	mixtures := make(map[string]string)
	for _, m := range s.Models() {
		size := sizeOfMixture(m.Name)
		if other, taken := mixtures[size]; !taken || len(m.Name) < len(other) {
			mixtures[size] = m.Name
		}
	}
	delete(mixtures, "")
	begin := make(starts)
	for _, m := range s.Models() {
		for _, name := range append(m.Aliases[:len(m.Aliases):len(m.Aliases)], m.Name) {
			begin[startOf(name)], begin[startOf(catalog.FoldName(name))] = true, true
		}
	}
	for size := range mixtures {
		begin[startOf(size)] = true
	}
	return begin.guard(func(text string) (string, bool) {
		if m, ok := s.Model(text); ok {
			return m.Name, true
		}
		name, ok := mixtures[folded(text)]
		return name, ok
	})
}

// sizeOfMixture is the part of a name that says how many experts of which size a
// model has, "" if it says none.
func sizeOfMixture(name string) string {
	for part := range strings.SplitSeq(strings.ToLower(name), "-") {
		experts, each, ok := strings.Cut(strings.TrimSuffix(part, "b"), "x")
		if ok && strings.HasSuffix(part, "b") && strings.Trim(experts+each, "0123456789.") == "" && experts != "" && each != "" {
			return part
		}
	}
	return ""
}

// index is canonical spellings by folded name.
type index map[string]string

// add enters a name unless it is taken.
func (x index) add(name, canonical string) {
	if key := folded(name); key != "" && x[key] == "" {
		x[key] = canonical
	}
}

// finder looks names up, those that may be some.
func (x index) finder() func(string) (string, bool) {
	begin := make(starts)
	for name := range x {
		begin[startOf(name)] = true
	}
	return begin.guard(x.find)
}

// find looks a name up.
func (x index) find(text string) (canonical string, ok bool) {
	canonical, ok = x[folded(text)]
	return canonical, ok
}

// folded keeps the letters and digits of a name, in lower case and any script.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// spokenProviders are other names of providers that people use, by id.
const spokenProviders = `aws: amazon, 亚马逊, 亚马逊云
azure: microsoft, 微软云
gcp: google, 谷歌云
alibaba: aliyun, alibaba, 阿里云, 阿里
tencent: 腾讯云, 腾讯
oci: oracle, oracle cloud, 甲骨文云
ibm: ibm
lambda: lambda labs, lambda cloud
ovh: ovh
vast: vast
runpod: runpod
verda: datacrunch`

// providerNames indexes ids, product names and what people say.
func providerNames(s *catalog.Snapshot) index {
	x := make(index)
	for _, id := range s.ProviderIDs() {
		x.add(string(id), string(id))
	}
	for _, id := range s.ProviderIDs() {
		p, _ := s.Provider(id)
		x.add(p.Name, string(id))
	}
	for line := range strings.Lines(spokenProviders) {
		id, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if _, ok := s.Provider(catalog.ProviderID(id)); !ok {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			x.add(name, id)
		}
	}
	return x
}

// shortestPlace is the length from which a word may be a region or a city: many
// shorter ids are words ("in", "no", "us").
const shortestPlace = 4

// regionNames indexes regions, and cities that have some. A region that is only a
// country or a continent is left out: its id is an ordinary word.
func regionNames(s *catalog.Snapshot) index {
	x := make(index)
	for _, p := range s.Places() {
		region, _ := s.Region(p)
		id := folded(string(p.Region))
		if len(id) >= shortestPlace && (precise(region) || strings.ContainsAny(id, "0123456789")) {
			x.add(id, string(p.Region))
		}
	}
	for _, p := range s.Places() {
		region, _ := s.Region(p)
		city, _, _ := strings.Cut(region.City, " (")
		if len(folded(city)) >= shortestPlace && precise(region) {
			x.add(city, city)
		}
	}
	for line := range strings.Lines(spokenCities) {
		name, city, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if known, ok := x.find(city); ok {
			x.add(name, known)
		}
	}
	return x
}

// spokenCities are the names of cities in Chinese.
const spokenCities = `北京: Beijing
上海: Shanghai
深圳: Shenzhen
广州: Guangzhou
杭州: Hangzhou
成都: Chengdu
南京: Nanjing
青岛: Qingdao
武汉: Wuhan
重庆: Chongqing
宁夏: Ningxia
中卫: Zhongwei
乌兰察布: Ulanqab
张家口: Zhangjiakou
呼和浩特: Hohhot
台北: Taipei
东京: Tokyo
大阪: Osaka
首尔: Seoul
雅加达: Jakarta
吉隆坡: Kuala Lumpur
曼谷: Bangkok
马尼拉: Manila
孟买: Mumbai
海得拉巴: Hyderabad
悉尼: Sydney
墨尔本: Melbourne
迪拜: Dubai
特拉维夫: Tel Aviv
法兰克福: Frankfurt
柏林: Berlin
伦敦: London
巴黎: Paris
马德里: Madrid
米兰: Milan
苏黎世: Zurich
阿姆斯特丹: Amsterdam
都柏林: Dublin
斯德哥尔摩: Stockholm
赫尔辛基: Helsinki
华沙: Warsaw
硅谷: Silicon Valley
俄勒冈: Oregon
弗吉尼亚: Virginia
俄亥俄: Ohio
爱荷华: Iowa
达拉斯: Dallas
芝加哥: Chicago
纽约: New York
洛杉矶: Los Angeles
西雅图: Seattle
多伦多: Toronto
蒙特利尔: Montreal
圣保罗: Sao Paulo
约翰内斯堡: Johannesburg
`

// precise reports whether a region is known to be at its city or airport.
func precise(r catalog.Region) bool {
	return slices.Contains([]catalog.Precision{catalog.PreciseCity, catalog.PreciseZone, catalog.PreciseAirport}, r.Precision)
}
