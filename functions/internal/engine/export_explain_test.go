package engine

import "github.com/tierwise/tierwise/functions/internal/stageplan"

// Explaining searches as Recommend does, once, and gives what is said about what it
// found.
func Explaining(t interface{ Fatal(...any) }, e *Engine, r Request) func() Answer {
	market, stages, _ := Stages(t, e, &r)
	var found Answer
	problem := e.problem(r, market, stages, &found)
	result := stageplan.Solve(problem)
	return func() Answer {
		answer := found
		x := explainer{Language: r.Language, request: &r, stages: stages, problem: &problem}
		x.explain(e, result, &answer)
		return answer
	}
}

// Searching searches as Recommend does, without a word about what it finds or a bill of
// it, and reports whether there is a plan.
func Searching(t interface{ Fatal(...any) }, e *Engine, r Request) func() bool {
	market, stages, _ := Stages(t, e, &r)
	return func() bool {
		problem := e.problem(r, market, stages, new(Answer))
		defer e.leave(&problem)
		return len(stageplan.Solve(problem).Best) > 0
	}
}
