package chart

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The size of a picture, and how fine it is.
const (
	wide  = 9 * vg.Inch
	high  = 4.5 * vg.Inch
	dpi   = 96
	inset = vg.Inch / 8
)

// PNG draws a picture.
func PNG(s Spec) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dpi))
	whole := draw.Crop(draw.New(canvas), inset, -inset, inset, -inset)
	var err error
	switch {
	case s.Forecast != nil:
		err = drawForecast(whole, &s)
	case s.Plan != nil:
		err = drawPlan(whole, &s)
	default:
		err = drawFrontier(whole, &s)
	}
	var b bytes.Buffer
	if err == nil {
		_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	}
	if err != nil {
		return nil, fmt.Errorf("draw %q: %w", s.Title, err)
	}
	return b.Bytes(), nil
}

// palette are colours that people with any colour vision tell apart (M. Okabe and
// K. Ito, "Color Universal Design", 2008).
func palette(i int) color.Color {
	colours := []color.RGBA{
		{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {213, 94, 0, 255}, {86, 180, 233, 255}, {120, 120, 120, 255},
	}
	return colours[i%len(colours)]
}

// faint is a colour that lets what is below it through.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 60}
}

// newPlot is an empty plot with axes.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.Title.TextStyle.Font.Size = vg.Points(6), vg.Points(13)
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	return p
}

// drawForecast draws the months: a band from the 10th to the 90th percentile, what is
// expected, and the budget.
func drawForecast(c draw.Canvas, s *Spec) error {
	p := newPlot(s.Title, "", s.Currency+" a month")
	months := s.Forecast.Months
	var band, expected plotter.XYs
	var names []string
	for i, m := range months {
		band = append(band, plotter.XY{X: float64(i), Y: m.P90})
		expected = append(expected, plotter.XY{X: float64(i), Y: m.Expected})
		names = append(names, m.Name)
	}
	for i := len(months) - 1; i >= 0; i-- {
		band = append(band, plotter.XY{X: float64(i), Y: months[i].P10})
	}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	area.Color, area.LineStyle.Width = faint(palette(0)), 0
	line, points, err := plotter.NewLinePoints(expected)
	if err != nil {
		return err
	}
	line.Color, line.Width, points.Color, points.Shape = palette(0), vg.Points(2), palette(0), draw.CircleGlyph{}
	p.Add(area, line, points)
	p.Legend.Add("expected", line)
	p.Legend.Add("10th to 90th percentile", area)
	if err := drawBudget(p, s.Forecast); err != nil {
		return err
	}
	p.X.Tick.Marker = namedTicks(names)
	p.Y.Min = min(0, p.Y.Min)
	p.Y.Max = max(p.Y.Max, tiny) * 1.25 // room for the legend
	p.Draw(c)
	return nil
}

// drawBudget draws the budget of a month.
func drawBudget(p *plot.Plot, f *Forecast) error {
	if f.Budget == nil {
		return nil
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: *f.Budget}, {X: float64(max(len(f.Months)-1, 1)), Y: *f.Budget}})
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = palette(4), vg.Points(1.5), []vg.Length{vg.Points(6), vg.Points(4)}
	p.Add(line)
	p.Legend.Add("budget", line)
	return nil
}

// namedTicks names months on an axis: all of few, some of many.
func namedTicks(names []string) plot.TickerFunc {
	return func(_, _ float64) []plot.Tick {
		every := (len(names) + 11) / 12
		var ticks []plot.Tick
		for i, name := range names {
			tick := plot.Tick{Value: float64(i)}
			if i%every == 0 {
				tick.Label = name
			}
			ticks = append(ticks, tick)
		}
		return ticks
	}
}

// drawFrontier draws cost over time.
func drawFrontier(c draw.Canvas, s *Spec) error {
	p := newPlot(s.Title, "hours", s.Currency)
	p.Legend.Left = false
	var all, marked plotter.XYs
	for _, point := range s.Frontier.Points {
		at := plotter.XY{X: point.Hours, Y: point.Total}
		all = append(all, at)
		if point.Marked {
			marked = append(marked, at)
		}
	}
	line, points, err := plotter.NewLinePoints(all)
	if err != nil {
		return err
	}
	line.Color, points.Color, points.Shape, points.Radius = palette(0), palette(0), draw.CircleGlyph{}, vg.Points(1.5)
	p.Add(line, points)
	p.Legend.Add("no other plan is cheaper and faster", line)
	if len(marked) > 0 {
		shown, err := plotter.NewScatter(marked)
		if err != nil {
			return err
		}
		shown.Color, shown.Shape, shown.Radius = palette(4), draw.CircleGlyph{}, vg.Points(4)
		p.Add(shown)
		p.Legend.Add("among the plans", shown)
	}
	scale(&p.X)
	scale(&p.Y)
	p.Draw(c)
	return nil
}

// margin leaves some room beyond what is drawn, and tiny is where an axis ends at which
// all is nothing.
const (
	margin = 1.05
	tiny   = 1e-9
)

// wideRange is how many times the least figure of an axis the greatest is from which
// on the axis is logarithmic.
const wideRange = 20

// scale lets an axis begin at nothing, or makes it logarithmic where most points would
// lie on top of one another.
func scale(a *plot.Axis) {
	if a.Min > 0 && a.Max > wideRange*a.Min {
		a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		a.Min, a.Max = a.Min/margin, a.Max*margin
		return
	}
	a.Min, a.Max = 0, max(a.Max, tiny)*margin
}
