package query

// Phrases are written as they are looked for: folded, with a space or nothing
// where a text may have a hyphen. Bars separate them.

// addWork enters kinds of work, methods and what data they are done on.
func addWork(l *lexicon) {
	l.say("fine tune|finetune|fine tuning|finetuning|fine tuned|finetuned|fine tunes|sft|instruction tuning|"+
		"instruction tune|微调|精调|微调训练|指令微调|监督微调|tune|tuning|instruct tuning|instruct tune|domain adaptation|调优|微调一个|finetunes|后训练",
		fact{slotKind, "finetune"})
	l.say("pretrain|pre train|pretraining|pre training|预训练|从头预训练", fact{slotKind, "pretrain"})
	l.say("inference|infer|inferencing|serve|serving|deploy|deploying|deployment|host|hosting|model serving|llm serving|"+
		"batch inference|offline inference|online inference|inference endpoint|inference server|endpoint|推理|推断|部署|推理服务|在线推理|离线推理|批量推理|"+
		"模型服务|在线服务|跑推理|推理部署|上线", fact{slotKind, "inference"})
	l.say("batch|batch job|batch jobs|batch processing|batch work|batch workload|batch compute|batch task|batch tasks|hyperparameter sweep|"+
		"hyperparameter search|parameter sweep|批处理|批处理任务|批量任务|批量计算|批量处理|批任务|跑批", fact{slotKind, "batch"})
	l.say("render|renders|rendering|render job|render jobs|blender|blender render|blender rendering|3d rendering|渲染|渲染任务|渲染动画|离线渲染|动画渲染",
		fact{slotKind, "render"})
	l.say("train|training|trains|from scratch|train from scratch|training from scratch|训练|从头训练|从零训练|"+
		"从零开始训练|continued pretraining|continue pretraining|continual pretraining|续训|继续训练|继续预训练|增量预训练", fact{slotTraining, ""})
	l.say("lora", fact{slotMethod, "lora"})
	l.say("qlora|q lora", fact{slotMethod, "qlora"})
	l.say("full parameter|full parameters|full param|full weight|full weights|全量|全参|全参数|全部参数",
		fact{slotMethod, "full"})
	l.add(fullMethod, "", "full")
	l.add(skips, "", "pretrained|pre trained|预训练模型|预训练的|instruct|chat|base|hf|instruction tuned")

	l.say("critical|mission critical|business critical|关键任务|关键业务|关键|任务关键", fact{slotCritical, "true"})
	l.say("sensitive|sensitive data|confidential|confidential data|敏感|敏感数据|数据敏感|机密|机密数据|保密",
		fact{slotSensitive, "true"})
	l.add(unknown, "", "time sensitive|latency sensitive|price sensitive|cost sensitive|价格敏感|成本敏感|时间敏感|"+
		"延迟敏感|全量数据|级别|区别|别的|差不多|不知道|不同|除非|batch size|global batch|global batch size|effective batch size|批大小|批次大小|批量大小|推理引擎")
	addStages(l)
}

// addStages enters what leaves a stage of the work out.
func addStages(l *lexicon) {
	l.say("no preprocessing|no preprocess|without preprocessing|skip preprocessing|不预处理|不要预处理|无需预处理|不需要预处理",
		fact{slotCoreHours, "0"})
	l.say("no evaluation|no eval|without evaluation|without eval|skip evaluation|skip eval|skip the evaluation|don't evaluate|do not evaluate|"+
		"不评测|不要评测|不评估|不需要评测|无需评测|不用评测", fact{slotEvaluated, "0"})
}

// addFormats enters formats of numbers, kinds of program and networks between nodes.
func addFormats(l *lexicon) {
	l.say("bf16|bfloat16", fact{slotFormat, "bf16"})
	l.say("fp16|float16|half precision|半精度", fact{slotFormat, "fp16"})
	l.say("fp8|float8", fact{slotFormat, "fp8"})
	l.say("fp4|nvfp4|mxfp4", fact{slotFormat, "fp4"})
	l.say("fp32|float32|full precision|single precision|单精度", fact{slotFormat, "fp32"})
	l.say("int8|8 bit|w8a8|8位|8比特", fact{slotFormat, "int8"})
	l.say("int4|4 bit|awq|4位|4比特|四比特", fact{slotFormat, "int4"})
	l.say("nf4", fact{slotQuantizer, "nf4"})
	l.say("gptq", fact{slotQuantizer, "gptq"})
	l.say("flash attention|flashattention|flash attn|flash attention 2|fa2", fact{slotFramework, "flash"})
	l.say("torch compile|compiled|vllm|sglang|tensorrt|tensorrt llm", fact{slotFramework, "compiled"})
	l.say("megatron|megatron lm|nemo", fact{slotFramework, "tuned"})
	l.say("zero 2|zero stage 2|deepspeed zero 2", fact{slotSharding, "zero2"})
	l.say("zero 3|zero stage 3|deepspeed zero 3|fsdp", fact{slotSharding, "zero3"})
	l.say("adamw", fact{slotOptimizer, "adamw"})
	l.say("8 bit adam|adam 8 bit|adamw 8 bit|8 bit adamw", fact{slotOptimizer, "adamw_8bit"})
	l.say("adafactor", fact{slotOptimizer, "adafactor"})
	l.say("infiniband", fact{slotFabric, "infiniband"})
	l.say("efa", fact{slotFabric, "efa"})
	l.say("ethernet|以太网", fact{slotFabric, "ethernet"})
}

// addMarket enters objectives, ways to buy, kinds of provider and attestations.
func addMarket(l *lexicon) {
	l.say("cheapest|cheap|lowest cost|lowest price|least expensive|inexpensive|not expensive|not too expensive|affordable|least cost|low cost|minimal cost|minimum cost|"+
		"min cost|rock bottom price|optimize for cost|optimise for cost|optimize for price|optimize cost|as cheap as possible|as cheaply as possible|low budget option|the cheapest way|minimize cost|minimise cost|lowest total cost|最便宜|便宜|不贵|不太贵|最省钱|省钱|最低价|价格最低|最低价格|"+
		"成本最低|最低成本|费用最低|便宜点|便宜一点|便宜些|越便宜越好|尽量便宜|最实惠|实惠|花钱最少|省钱点", fact{slotObjective, "cost"})
	l.say("fastest|quickest|soonest|as fast as possible|as soon as possible|asap|shortest time|as quick as possible|fastest possible|minimize time|minimise time|minimum time|optimize for speed|optimise for speed|optimize for time|speed matters|as quickly as possible|fast as possible|top speed|最快|快点|越快越好|最快速度|尽快完成|最快的|尽快|最短时间|"+
		"时间最短|速度最快", fact{slotObjective, "time"})
	l.say("balanced|balance|best value|best bang for the buck|good value|value for money|sweet spot|性价比最高|最高性价比|性价比高|高性价比|性价比最好|性价比|划算|最划算|均衡|平衡|折中", fact{slotObjective, "balanced"})

	l.say("spot|preemptible|preemptable|interruptible|竞价|竞价型|抢占|抢占式|可抢占", fact{slotPurchase, "spot"})
	l.say("spot ok|spot okay|spot is ok|spot is okay|spot allowed|spot is allowed|spot is fine|"+
		"spot acceptable|spot is acceptable|allow spot|allowing spot|ok with spot|fine with spot|可以竞价|"+
		"可以用竞价|可用竞价|接受竞价|竞价可以|竞价也可以|竞价也行|竞价都行",
		fact{slotPurchase, "on_demand"}, fact{slotPurchase, "spot"})
	l.say("no interruption|no interruptions|uninterrupted|without interruption|without interruptions|不能中断|不可中断|不中断|不被抢占", fact{slotNoPurchase, "spot"})
	l.say("only on demand|just on demand|on demand only|on demand|ondemand|pay as you go|payg|按需|按需付费|按量|按量付费", fact{slotPurchase, "on_demand"})
	l.say("reserved|reservation|包年|预留", fact{slotCommitment, "12"}, fact{slotPurchase, "reserved_1y"})
	l.say("no commitment|no commitments|without commitment|no contract|no long term|no long term contract",
		fact{slotNoPurchase, "reserved_1y"})
	l.say("capacity block|capacity blocks", fact{slotPurchase, "capacity_block"})
	l.add(reservedTerm, "", "reserved|reserve|reservation|commitment|commit|committed|contract|term|plan|预留|包年|"+
		"包|期|合约|合同")
	l.add(unknown, "", "包月|limited budget|low budget|预算有限|低预算")

	l.say("community|community cloud|marketplace|marketplaces|peer to peer|p2p|社区|社区云|个人算力|共享算力",
		fact{slotClass, "community"})
	l.say("hyperscaler|hyperscalers|hyperscale|大厂|大厂云|云大厂|云巨头|云计算巨头", fact{slotClass, "hyperscaler"})
	l.say("specialist|specialists|specialist cloud|specialist clouds|neocloud|neoclouds|专业云|专业平台|专业算力",
		fact{slotClass, "specialist"})

	l.say("gdpr", fact{slotCompliance, "GDPR"})
	l.say("hipaa", fact{slotCompliance, "HIPAA"})
	l.say("soc2|soc ii", fact{slotCompliance, "SOC2"})
	l.say("iso27001|iso/iec 27001", fact{slotCompliance, "ISO27001"})
	l.say("pci dss", fact{slotCompliance, "PCI-DSS"})
}

// addHardware enters what is said of GPUs besides their names.
func addHardware(l *lexicon) {
	l.say("ecc|ecc memory|ecc ram|ecc内存|ecc显存|ecc校验", fact{slotECC, "true"})
	l.say("nvlink|nv link", fact{slotNVLink, "true"})
	l.add(counter, "", "gpu|gpus|card|cards|张|块|卡|片|颗|枚|个|张卡|块卡|个卡|个gpu|块gpu|张gpu|张显卡|块显卡|"+
		"个显卡|卡的|张的")
	l.add(fewOf, "1", "single|a single|单")
	l.add(fewOf, "2", "dual|双")
	l.add(node, "", "node|nodes|server|servers|machine|machines|box|boxes|台|台机器|台服务器")
	l.add(nodeUnclear, "", "机|节点|个节点")
	l.add(gigabytes, "0", "gb|g|gib")
	l.add(gigabytes, "-3", "mb|mib")
	l.add(gigabytes, "3", "tb|tib|t")
	l.add(vramNoun, "", "vram|of vram|gpu memory|gpu ram|memory|显存|的显存")
	l.add(cardNoun, "", "card|cards|gpu|gpus|显卡|的显卡|的卡|卡")
	l.add(datasetNoun, "", "data|dataset|data set|of data|of training data|数据|的数据|数据集|训练数据")
}

// addSmallWords enters the words that carry no meaning of their own.
func addSmallWords(l *lexicon) {
	l.add(skips, "", "please|pls|the|a|an|me|my|i|i'm|we|our|you|your|need|want|would|like|can|could|should|will|of|"+
		"for|is|are|be|it|its|this|that|some|any|do|does|get|find|give|show|recommend|suggest|tell|help|let's|"+
		"looking|what|what's|which|how|how much|there|way|best way|run|running|running on|job|jobs|work|workload|"+
		"model|models|llm|llms|gpu|gpus|card|cards|machine|machines|server|servers|cloud|clouds|provider|providers|"+
		"region|regions|instance|instances|node|hardware|compute|rent|renting|rental|lease|have|has|having|so|then|"+
		"also|finish|finished|done|complete|completed|per epoch|each epoch|cost|costs|price|prices|pricing|priced|"+
		"compliant|compliance|certified|certification|hosted|based|data|dataset|at|hello|hi|thanks|thank you|"+
		"yo|hey|lol|thx|ty|cheers|whats|what are|right now|today|options|option|preferred|preferably|ideally|needs|task|team|@|tierwise|bot|"+
		"monthly cost|monthly price|doesn't matter|something|chatbot|4k|animation|embeddings|w/|公司|学生|"+
		"by the hour|place|ways|compare|i've|got|got to|setup|rig|"+
		"how long does it take|how long would it take|how long will it take|how long|does it fit|will it fit|fit|fits|take|takes|roughly how much|"+
		"money no object|money is no object|cost is no object|price no object|per hour|an hour|/hour|/h|/hr|hourly|good|nice|best|someone|"+
		"want to|going to|gonna|wanna|gotta|i'd|i'll|we're|we'll|let|=true|=yes|: true|: yes|has to|have to|must|reference|timed on|measured on|benchmarked on|on a reference|each takes|one takes|processing|preprocessing|users|user|traffic|application|app|service|api|"+
		"allowed|required|needed|if possible|no budget|no budget limit|no deadline|no preference|no problem|no worries|not bad|why not|now|currently|no limit|no rush|"+
		"no hurry|any budget|any region|any provider")
	l.add(skips, "", "的|了|地|得|我|我们|我想|我要|我需要|想|想要|要|需要|请|请问|帮|帮我|给|给我|做|进行|来|去|跑|"+
		"把|对|将|是|有|能|能否|可以|吗|呢|吧|啊|都|也|就|那|这|这个|一个|一下|中|里|上|个|型|模型|大模型|"+
		"大语言模型|参数的|机器|服务器|显卡|卡|实例|云|平台|算力|租|租用|租赁|买|找|推荐|方案|怎么|如何|哪个|哪家|"+
		"哪里|什么|多少|多少钱|费用|价格|成本|合规|认证|境内|地区|区域|数据中心|完成|跑完|训完|搞定|另外|此外|"+
		"都可以|都行|就行|即可|谢谢|每轮|每个epoch|总共|时间|数据|没有预算限制|预算不限|不限预算|时间不限|地区不限|"+
		"不限地区|点|带|多久|要多久|需要多久|多长时间|大概|帮忙|麻烦|一张|每小时|一小时|价钱|怎么卖|学生党|优先|最好|要求|希望|打算|准备|不着急|不赶时间|不差钱|处理|任务|用户|同学|老板|大佬|各位|求推荐|求|参考|参考卡|预处理|平台不限|不急|特别|非常|不好意思|没问题|不错|目前|现在|然后|最后|如果|一起")
	l.add(marks, "", "must not leave|must not leave the|not leave|do not leave|do not leave the|don't leave|don't leave the|can't leave|can't leave the|cannot leave|cannot leave the|"+
		"never leave|never leaves|never leave the|stay in|stays in|stay in the|stay within|stay within the|stays in the|kept in|kept in the|remain in|remain in the|不能出|不出|不能离开|不离开|留在|必须留在|"+
		"in|in the|on|on the|via|using|use|from within|located in|hosted in|hosted on|based in|with|"+
		"within|在|用|使用|放在|采用")
	l.add(only, "", "only|just|solely|exclusively|must be|must be in|must be on|only in|only on|only use|use only|"+
		"strictly|只|仅|仅限|只用|只要|只在|只能|只能用|只能在|只考虑|限|必须|必须在|必须用")
	l.add(joinsOr, "", "or|/|、|或|或者")
	l.add(joinsAnd, "", "and|&|和|与|及|以及|并|并且|+|as well as|还要|还有")
	l.add(parts, ",", ",")
	l.add(parts, "", ";|.|!|?|。|(|)|[|]|\n|but|however|though|但|但是|不过|而且|…|...")
	l.add(skips, "", ":|'|\"|“|”|「|」|《|》|【|】|*|·|{|}|=|•")
	l.add(between, "", "to|到|至|-|~|through")
}
