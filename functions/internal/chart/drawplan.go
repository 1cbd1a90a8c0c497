package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawPlan draws a plan: on the left its stages over time, on the right what each
// costs, line by line.
func drawPlan(c draw.Canvas, s *Spec) error {
	middle := (c.Max.X - c.Min.X) / 2
	left, right := draw.Crop(c, 0, -middle, 0, 0), draw.Crop(c, middle, 0, 0, 0)
	if err := drawStages(left, s); err != nil {
		return err
	}
	return drawLines(right, s)
}

// names are the names of the stages.
func (p *Plan) names() []string {
	var names []string
	for _, stage := range p.Stages {
		names = append(names, stage.Name)
	}
	return names
}

// drawStages draws each stage from its begin to its end, the first on top.
func drawStages(c draw.Canvas, s *Spec) error {
	p := newPlot(s.Title, "hours", "")
	stages := s.Plan.Stages
	begin, last := 0.0, float64(len(stages)-1)
	for i, stage := range stages {
		y := last - float64(i)
		bar, err := plotter.NewPolygon(plotter.XYs{
			{X: begin, Y: y - 0.35}, {X: begin + stage.Hours, Y: y - 0.35}, {X: begin + stage.Hours, Y: y + 0.35}, {X: begin, Y: y + 0.35},
		})
		if err != nil {
			return err
		}
		bar.Color, bar.LineStyle.Width = palette(i), 0
		p.Add(bar)
		begin += stage.Hours
	}
	names := s.Plan.names()
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		for i, name := range names {
			ticks = append(ticks, plot.Tick{Value: last - float64(i), Label: name})
		}
		return ticks
	})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(begin, tiny)*margin, -0.6, last+0.6
	p.Draw(c)
	return nil
}

// drawLines draws the cost of each stage as a bar of its lines.
func drawLines(c draw.Canvas, s *Spec) error {
	p := newPlot("", "", s.Currency)
	var below *plotter.BarChart
	for n, name := range LineNames() {
		var values plotter.Values
		some := false
		for _, stage := range s.Plan.Stages {
			amount := 0.0
			if n < len(stage.Lines) {
				amount = stage.Lines[n]
			}
			values, some = append(values, amount), some || amount != 0
		}
		if !some {
			continue
		}
		bars, err := plotter.NewBarChart(values, vg.Points(26))
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = palette(n), 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.NominalX(s.Plan.names()...)
	p.Y.Min = 0
	p.Y.Max = max(p.Y.Max, tiny) * 1.45 // room for the legend
	p.Draw(c)
	return nil
}
