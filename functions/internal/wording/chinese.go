package wording

// chinese are the messages in Chinese, by their English formats. Where the order of
// the arguments differs, they are numbered.
var chinese = map[string]string{
	// Words.
	"on_demand":           "按需",
	"spot":                "竞价",
	"reserved_1y":         "包年（1 年）",
	"reserved_3y":         "包年（3 年）",
	"capacity_block":      "容量块",
	"preprocess":          "预处理",
	"train":               "训练",
	"evaluate":            "评估",
	"rental":              "租用",
	"batch":               "批处理",
	"render":              "渲染",
	"edge_incremental":    "边缘增量训练",
	"devtest":             "开发测试",
	"%d x %s of a %s, %s": "%[1]d × %[3]s 的 %[2]s，%[4]s",
	"%d nodes":            "%d 个节点",

	// Why a plan was chosen.
	"%d x %s, %s":                     "%d × %s，%s",
	"%s %s (%s)":                      "%s %s（%s）",
	"%s: %s":                          "%s：%s",
	"%s; %s":                          "%s；%s",
	"least expected time":             "预期用时最短",
	"least product of total and time": "总价与用时的乘积最小",
	"least total cost":                "总成本最低",
	"against the first plan %s":       "与首选方案相比，%s",
	"%s in cost, %s hours":            "成本 %s，用时 %s 小时",
	"no other kind of hardware was asked for or meets the constraints": "未要求其他类型的硬件，或没有其他类型满足约束",
	"the next kind is %s: %s": "其次是 %s：%s",
	"the %s stage costs %s, there %s: %s an hour for %s hours, there %s for %s": "“%[1]s”阶段花费 %[2]s，对方为 %[3]s：每小时 %[4]s、计费 %[5]s 小时，对方每小时 %[6]s、计费 %[7]s 小时",
	"moving data costs %s, there %s":                                            "数据传输费用 %s，对方为 %s",
	"the other stages cost %s, there %s":                                        "其余阶段花费 %s，对方为 %s",
	"the %s stage takes %s hours, there %s":                                     "“%s”阶段用时 %s 小时，对方为 %s 小时",
	"moving data takes %s hours, there %s":                                      "数据传输用时 %s 小时，对方为 %s 小时",
	"the other stages take %s hours, there %s":                                  "其余阶段用时 %s 小时，对方为 %s 小时",

	// What would change the choice.
	"above %s %s per node and hour (now %s), %s costs less":                                                              "若每节点每小时价格高于 %s %s（现为 %s），则 %s 更便宜",
	"at an efficiency of %s or less (now %.3f), %s costs less":                                                           "若效率系数降至 %s 或更低（现为 %.3f），则 %s 更便宜",
	"with a deadline under %s hours this plan is too late, and %s, at %s %s, is the cheapest of those shown that is not": "若期限短于 %s 小时，此方案将超时；所列方案中不超时且最便宜的是 %s，总价 %s %s",
	"with a budget under %s %s this plan is too dear, and %s, in %s hours, is the fastest of those shown that is not":    "若预算低于 %s %s，此方案将超支；所列方案中不超支且最快的是 %s，用时 %s 小时",

	// What the smallest relaxations are.
	"the least 95th percentile of any plan within the other constraints":     "在其余约束下，所有方案中最小的第 95 百分位用时",
	"the least total of any plan within the other constraints":               "在其余约束下，所有方案中最低的总价",
	"the least relaxed value at which some plan meets the other constraints": "能使某个方案满足其余约束的最小放宽值",
	"without this constraint the cheapest plan, at %s, has these":            "去掉此约束后，最便宜的方案（%s）使用这些",

	// Critical work.
	"the work is critical, and the best plan on ECC memory costs %s %s more, over a fifth: ask for ecc to take it": "任务关键，但使用 ECC 显存的最优方案要贵 %s %s，超过五分之一；如仍需选用，请设置 ecc",

	// The baseline.
	"all %d stages on the main stage's node: %s":    "全部 %d 个阶段都在主阶段的节点上运行：%s",
	"every model on a GPU of its own":               "每个模型独占一块 GPU",
	"the same rounds on demand on data-centre GPUs": "同样的轮次在数据中心级 GPU 上按需运行",

	// Warnings.
	"no source gives the egress price of %s; the dearest sourced rate was used":                           "没有来源给出 %s 的流量出口价格；已按有据可查的最高费率计算",
	"at the high end of the interruption rate the plan would miss the deadline":                           "若中断率达到上限，此方案将错过期限",
	"%s: %s has no ECC memory, or no source says so; a silent bit error can spoil a long run":             "%s：%s 没有 ECC 显存，或无来源证明其有；静默的比特错误可能毁掉长时间的运行",
	"%s: the source does not say which variant of %s it is; sized as %s":                                  "%s：来源未说明是 %s 的哪个型号；按 %s 估算",
	"%s: a source gives %g GB/s between the nodes; %g GB/s are taken, as the request states it":           "%s：来源给出的节点间带宽为 %g GB/s；按请求所述取 %g GB/s",
	"%s: no source gives the network between the %d nodes":                                                "%s：没有来源给出 %d 个节点之间的网络",
	"%s: no source gives the network between the %d nodes; it is taken as %g GB/s":                        "%s：没有来源给出 %d 个节点之间的网络；按 %g GB/s 计算",
	"%s: no source gives the network between the %d nodes; it is taken as the request states it, %g GB/s": "%s：没有来源给出 %d 个节点之间的网络；按请求所述取 %g GB/s",
	"%s: the price's source gives no date":                                                                "%s：价格来源未注明日期",
	"%s: the price is %d days old (%s)":                                                                   "%s：该价格已有 %d 天（%s）",
	"%s: a marketplace price is the cheapest box seen; a booking may cost more":                           "%s：算力市场的价格是所见最便宜的一台；实际预订可能更贵",
	"%s: the offer is flagged %s":                                                                         "%s：该报价带有标记 %s",
	"%s: spot instances can be taken away; %.2g interruptions are expected (assumed rate)":                "%s：竞价实例可能被回收；预计中断 %.2g 次（中断率为假设值）",
	"%s: no source gives an interruption rate of this offer; the worst published band was used":           "%s：没有来源给出该报价的中断率；已按公布的最差区间计算",
	"%s: spot is no choice here (%s): on-demand is taken":                                                 "%s：此处竞价不划算（%s），因此选用按需",
	"it costs %s against %s in expectation":                                                               "预期花费 %s，按需为 %s",
	"its list price is not below on-demand's":                                                             "其标价不低于按需价格",
	"the deadline was tested on part of the plans that come near it: a cheaper one may be missed":         "接近期限的方案只测试了一部分，可能遗漏更便宜的方案",

	"%s: %d models share each node of %s: each is taken to get %.0f%% of its share, at worst %.0f%%":        "%s：每个节点由 %d 个模型共用（%s）：每个模型按可得到其份额的 %.0f%% 计算，最差 %.0f%%",
	"%s: a round takes %.4g s: it waits for the slowest of the GPUs, which takes %.3g times the usual step": "%s：一轮用时 %.4g 秒：需等待最慢的 GPU，其步长为通常的 %.3g 倍",

	// Utilisation.
	"%s: it lacks %.1f GB per GPU to fit; the hours are of a larger memory":                "%s：每块 GPU 还缺 %.1f GB 显存；所列用时按更大的显存估算",
	"%s: it lacks %.1f GB per GPU to fit for certain":                                      "%s：每块 GPU 还差 %.1f GB 显存才能确保装下",
	"%s: an answer takes %.2f s, more than the %.2f s asked for":                           "%s：一次应答需 %.2f 秒，超过所要求的 %.2f 秒",
	"%s: requests that come within %.4g hours take %.4g to answer: more copies are needed": "%s：%.4g 小时内到来的请求需要 %.4g 小时才能答完：需要更多副本",

	"%s: its utilisation of %.0f%% of the peak is outside of what published runs of the kind reach":                                        "%s：其算力利用率为峰值的 %.0f%%，超出同类公开运行所达到的范围",
	"%s: FLOPs over 40%% of the peak would give %.3g hours, %.2g times as many; short steps, slow links or offloading make the difference": "%s：按峰值 40%% 的算力估算需 %.3g 小时，为此处的 %.2g 倍；差别来自步长短、链路慢或卸载到主机内存",

	// Assumptions of the engine.
	"time to start an instance and pull an image, per stage": "每个阶段启动实例并拉取镜像的时间",
	"time to start an instance and pull an image":            "启动实例并拉取镜像的时间",
	"speed of moves between places and of downloads":         "地点之间传输以及下载的速度",
	"half a core": "半个核心",
	"a vCPU is one of a core's two hardware threads":                                              "一个 vCPU 是一个核心的两个硬件线程之一",
	"no source states the metering step; an hour is the coarsest known":                           "没有来源说明计费粒度；已知最粗的是一小时",
	"%s %s per %s and month":                                                                      "每 %[3]s 每月 %[1]s %[2]s",
	"no source states the price of block storage; the dearest known":                              "没有来源说明块存储价格；取已知最高价",
	"prior of the GPU's class; nothing was measured":                                              "取该类 GPU 的先验值；没有实测数据",
	"%.5f per hour (%.5f to %.5f)":                                                                "每小时 %.5f（%.5f 至 %.5f）",
	"geometric mean of the monthly band's rate and of published traces":                           "月度区间对应的中断率与公开轨迹中断率的几何平均",
	"no band is known: geometric mean of the worst published band's rate and of published traces": "区间未知：取公布的最差区间的中断率与公开轨迹中断率的几何平均",
	"%s %s and %s %s per USD":                                                                     "每美元兑 %s %s 和 %s %s",
	"monthly rates of %s and %s":                                                                  "%s 与 %s 的月度汇率",
	"USD itself":                                                                                  "美元本身",
	"both were measured: the mean of five models, trained on one GPU each":                        "两者均有实测：五个模型各在一块 GPU 上训练的平均值",
	"by specification, peak and memory bandwidth: not both of them were measured":                 "按规格中的峰值算力与显存带宽推算：并非两者都有实测",
	"by specification, FP32 rates: rendering was not measured":                                    "按规格中的 FP32 算力推算：渲染没有实测",
	"no source gives the network between the nodes; ordinary Ethernet":                            "没有来源给出节点间网络；按普通以太网计算",
	"%g GB/s per node":        "每节点 %g GB/s",
	"%d minutes on each node": "每个节点 %d 分钟",
	"three steps before the order: a benchmark, a cut of the network, a look for what the disk keeps": "下单前的三步验证：基准测试、断网故障模拟、检查磁盘残留数据",
	"independent draws of each stage's lateness around its expected time and 95th percentile":         "按各阶段的预期用时与第 95 百分位独立抽样其延误",
	"%d scenarios of the whole plan": "对整个方案模拟 %d 个情景",
}
