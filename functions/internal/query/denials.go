package query

// addDenials enters what takes a wish back, or turns an upper bound into a lower.
// The values say where the denied thing stands.
func addDenials(l *lexicon) {
	l.add(denies, ahead, "no|not|non|not in|not on|not in the|without|without any|w/o|never|except|except for|"+
		"exclude|excludes|excluding|avoid|avoiding|outside|outside of|outside the|other than|anything but|everything but|"+
		"rather than|instead of|apart from|don't|don't use|don't want|dont|do not|do not use|do not want|doesn't|"+
		"does not|can't|can't use|cannot|cannot use|cannot be|can not|can't be in|cannot be in|won't|must not|"+
		"must not be|must not be in|must not use|should not|should not be|shouldn't|isn't|aren't|is not|are not|"+
		"not using|not use|not be|nothing in|nothing on|nothing from|none of|neither|nor|nor in|nor on|minus|ban|excluded:|forbidden:|banned:|not allowed:|"+
		"skip|anywhere but|anywhere except|anywhere but in|anywhere except in|everywhere but|any region but|any region except|any provider but|^!")
	l.add(denies, ahead, "不|不想|不想用|不要用|不要在|不想要|不使用|不在|不选|不选择|不含|不包括|不包含|不允许|"+
		"不能|不能在|不得|不放在|不去|不走|别|别用|别在|别选|勿|非|无|没有|没|除|除了|除去|除开|排除|避免|避开|"+
		"避免使用|拒绝|禁止|禁用|禁止使用|剔除|去掉")
	l.add(denies, either, "不要|不用|不行|不可|不可以|不可用|不考虑|不接受|不能用|🚫|❌|⛔|✗|✘")
	l.add(denies, behind, "excluded|not allowed|forbidden|prohibited|banned|not ok|not okay|is not ok|"+
		"not acceptable|not permitted|not wanted|not an option|除外|以外|之外|外|以外的|之外的|免谈|is not allowed|"+
		"are not allowed|is excluded|are excluded|no thanks|=false|=no|: false|: no|=off|: off|=0|= none")
	l.add(spares, ahead, "no need for|no need of|no need|don't need|do not need|doesn't need|does not need|needn't|"+
		"不需要|无需|不必|不一定需要")
	l.add(spares, behind, "not required|not needed|not necessary|is not required|is not needed|unnecessary")

	l.add(blocks, ahead, "not only|not just|not limited to|not necessarily|no matter|no preference for|no preference between|no limit on|no limit to|regardless of|不限|不限于|不仅|"+
		"不只|不止|不一定|不一定要|无论|不管|than|vs|versus|compared to|compared with|unlike|from|after|per|each|"+
		"every|每|每天|每月|每次|比|相比|more than|over|above|greater than|longer than|no less than|not less than|"+
		"not under|not below|no fewer than|minimum of|min|exceed|exceeding|beyond|starting at|starting from|>|>=|^-|"+
		"至少|最少|不少于|不低于|不小于|不短于|超过|高于|大于|多于")
	l.add(blocks, either, "minimum|at minimum|at least")
	l.add(blocks, behind, "or more|or above|or longer|or higher|or larger|and up|and above|and more|以上|及以上|"+
		"或以上|起|起步|^+|ago|前|后|之后")
}
