package query

import "strings"

// foldName is how the catalogue compares names: letters, digits and dots.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, strings.TrimPrefix(strings.ToLower(s), "nvidia"))
}

// table is a look-up of canonical names under their folded aliases.
func table(rows map[string]string) func(string) (string, bool) {
	byName := make(map[string]string)
	for canonical, aliases := range rows {
		for alias := range strings.SplitSeq(aliases, "|") {
			byName[foldName(alias)] = canonical
		}
	}
	return func(text string) (string, bool) {
		name, ok := byName[foldName(text)]
		return name, ok
	}
}

// exact is a look-up of names as they are spelled.
func exact(rows map[string]string) func(string) (string, bool) {
	bySpelling := make(map[string]string)
	for canonical, aliases := range rows {
		for alias := range strings.SplitSeq(aliases, "|") {
			bySpelling[alias] = canonical
		}
	}
	return func(text string) (string, bool) {
		name, ok := bySpelling[text]
		return name, ok
	}
}

// testNames is a small catalogue.
func testNames() Names {
	return Names{
		GPU: table(map[string]string{
			"A100": "a100", "A100-80GB": "a100 80gb|a100 80g", "A100-80GB-SXM": "a100 sxm4 80gb|a100 80gb sxm", "H100": "h100", "H100-80GB-SXM": "h100 sxm",
			"H200": "h200", "RTX-4090": "4090|rtx 4090", "RTX-3090": "3090|rtx 3090", "L40S": "l40s", "L4": "l4", "T4": "t4", "V100": "v100", "B200": "b200",
		}),
		Model: table(map[string]string{
			"llama-2-7b": "llama-2-7b|meta-llama/llama-2-7b|llama2 7b", "llama-3-8b": "llama 3 8b", "llama-3.1-70b": "llama-3.1-70b|llama 3.1 70b instruct",
			"qwen2.5-7b": "qwen2.5-7b", "mixtral-8x7b": "mixtral 8x7b", "phi-2": "phi 2",
		}),
		Provider: exact(map[string]string{
			"aws": "aws|amazon|亚马逊云", "gcp": "gcp|google cloud", "azure": "azure", "alibaba": "alibaba|aliyun|阿里云",
			"lambda": "lambda|lambda labs", "runpod": "runpod", "vast": "vast|vast.ai",
		}),
		Region: exact(map[string]string{
			"us-east-1": "us-east-1", "eu-west-1": "eu-west-1", "cn-beijing": "cn-beijing|北京", "asia-northeast1": "asia-northeast1",
		}),
	}
}
