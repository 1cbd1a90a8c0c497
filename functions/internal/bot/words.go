package bot

import "unicode"

// words are the words of messages in a language.
type words struct {
	chinese                                          bool
	working, understood, notUnderstood, meant        string
	expected, p95, cost, saves, costsMore, noPlan    string
	nearest, warnings, more, oldest, catalogue       string
	noPrice, changed, failed, examples, helpTitle    string
	helpText, stages, why, flips, moves, prices      string
	alternatives, assumptions, chart, total, missing string
	buttons, changes                                 map[string]string
}

// wordsIn are the words of a language, as requests name it.
func wordsIn(language string) words {
	if language == "zh" {
		return chinese()
	}
	return english()
}

// wordsFor are the words of the language that a text is in.
func wordsFor(text string) words {
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			return chinese()
		}
	}
	return english()
}

func english() words {
	return words{
		working: "Working it out: the plan comes in a moment.", understood: "*Understood:* ", notUnderstood: "*Not understood, and left out:* ",
		meant: "Did you mean ", expected: "%s hours expected", p95: "%s hours at the 95th percentile", cost: "*Cost in %s*",
		saves: "*Saves %s%%* of %s", costsMore: "*Costs %s%% more* than %s", noPlan: "No plan meets the constraints",
		nearest: "Nearest: `%s` = %s gives a plan: %s", warnings: "*Warnings*", more: "and %d more", oldest: "oldest price %s, %d days old",
		catalogue: "catalogue %s", noPrice: "a price has no date", changed: "*Changed:* ", failed: "That went wrong here, and was logged. Please try again.",
		examples: "*Try*", helpTitle: "Tierwise: which GPUs to rent, and what will it cost",
		helpText: "Say in words what you want to do: the work (fine-tune, pretrain, inference, render, batch), the model or its size, and what it must meet: " +
			"a budget, a deadline, a place, spot or none, a number of GPUs, ECC, NVLink.",
		stages: "*Stages*", why: "*Why*", flips: "*What would change it*", moves: "*Moves of data*", prices: "*Prices*",
		alternatives: "*Alternatives*", assumptions: "*Assumed*", chart: "Stages over time, and what each costs", total: "total",
		missing: "The answer's request is too long to be changed by buttons.",
		buttons: map[string]string{cheaper: "Cheaper", faster: "Faster", noSpot: "No spot", euOnly: "EU only", details: "Details"},
		changes: map[string]string{cheaper: "the cheapest plan, spot allowed, whatever time it takes", faster: "at most seven tenths of the time",
			noSpot: "no spot instances", euOnly: "only in the EU"},
	}
}

func chinese() words {
	return words{
		chinese: true,
		working: "正在计算，方案马上就来。", understood: "*已理解：* ", notUnderstood: "*未理解，已忽略：* ",
		meant: "您是不是想说 ", expected: "预计 %s 小时", p95: "95%% 情况下不超过 %s 小时", cost: "*费用（%s）*",
		saves: "*节省 %s%%*，对比 %s", costsMore: "*比基准贵 %s%%*：%s", noPlan: "没有满足条件的方案",
		nearest: "最接近：`%s` = %s 即可有方案：%s", warnings: "*注意*", more: "另有 %d 条", oldest: "最旧的价格 %s，%d 天前",
		catalogue: "目录版本 %s", noPrice: "有价格的日期未知", changed: "*已更改：* ", failed: "出错了，已记录。请再试一次。",
		examples: "*试试*", helpTitle: "Tierwise：租哪种 GPU，到底要花多少钱",
		helpText: "用一句话说明要做什么：任务（微调、预训练、推理、渲染、批处理）、模型或参数量，以及条件：预算、期限、地区、要不要竞价实例、几张卡、ECC、NVLink。",
		stages:   "*阶段*", why: "*原因*", flips: "*什么情况下会改变*", moves: "*数据传输*", prices: "*价格*",
		alternatives: "*其他方案*", assumptions: "*假设*", chart: "各阶段的时间与费用", total: "合计",
		missing: "请求太长，无法用按钮修改。",
		buttons: map[string]string{cheaper: "更便宜", faster: "更快", noSpot: "不要竞价", euOnly: "仅限欧盟", details: "详情"},
		changes: map[string]string{cheaper: "最便宜的方案，允许竞价，不限时间", faster: "时间缩短到七成以内", noSpot: "不用竞价实例", euOnly: "仅限欧盟"},
	}
}
