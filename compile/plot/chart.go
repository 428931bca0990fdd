package plot

import (
	"fmt"
	"math"
	"slices"

	"wb/internal/value"
)

// series is one line, set of bars or cloud of points; a point without a place
// is NaN.
type series struct {
	name   string
	xs, ys []float64
	base   []float64 // where stacked bars and areas start
}

// chart is a picture before it has pixels.
type chart struct {
	spec           Spec
	x, y           scale
	xLabel, yLabel string
	series         []series
}

// Draw makes the picture of a table as SVG. Header holds the names of its
// columns where they are not in the data.
func Draw(spec Spec, data value.Value, header []string) (string, error) {
	f, err := newFrame(data, header)
	if err != nil {
		return "", err
	}
	c, err := newChart(spec, f)
	if err != nil {
		return "", err
	}
	return c.svg(), nil
}

// newChart chooses columns and scales.
func newChart(spec Spec, f *frame) (*chart, error) {
	c := &chart{spec: spec}
	if spec.Kind == Histogram {
		return c, c.histogram(f)
	}
	x, ys, err := c.choose(f)
	if err != nil {
		return nil, err
	}
	places, labels, kind := c.places(f, x)
	for _, y := range ys {
		c.series = append(c.series, series{name: y.name, xs: places, ys: slices.Clone(y.numbers)})
	}
	if err := c.groupRows(f); err != nil {
		return nil, err
	}
	if c.label(ys); x != nil && x.named && c.xLabel == "" {
		c.xLabel = x.name
	}
	if spec.Stacked && (spec.Kind == Bar || spec.Kind == Area) {
		c.stack()
	}
	if kind == category {
		c.x = categories(labels)
	} else {
		c.x = fit(kind, places, spec.LogX)
	}
	return c, c.scaleValues()
}

// choose finds the column of the horizontal axis (nil counts rows) and those
// of the series.
func (c *chart) choose(f *frame) (x *column, ys []*column, err error) {
	if c.spec.X != "" {
		if x, err = f.find(c.spec.X); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range c.spec.Y {
		y, err := f.find(name)
		if err != nil {
			return nil, nil, err
		}
		if y.kind != numeric {
			return nil, nil, fmt.Errorf("column %q is not numeric: %s", name, firstText(y))
		}
		ys = append(ys, y)
	}
	if x == nil && len(f.columns) > 1 {
		for _, col := range f.columns {
			if !slices.Contains(ys, col) && col.name != c.spec.Group {
				x = col
				break
			}
		}
	}
	if len(ys) == 0 {
		for _, col := range f.columns {
			if col != x && col.kind == numeric && col.name != c.spec.Group {
				ys = append(ys, col)
			}
		}
	}
	if len(ys) == 0 {
		return nil, nil, fmt.Errorf("the data has no numeric column to draw")
	}
	return x, ys, nil
}

// firstText is the first cell that kept a column from being numeric.
func firstText(c *column) string {
	for _, cell := range c.cells {
		if _, ok := asNumber(cell); !ok && !blank(cell) {
			return fmt.Sprintf("it holds %q", value.CellText(cell))
		}
	}
	return "it is empty"
}

// places are where the rows stand on the horizontal axis.
func (c *chart) places(f *frame, x *column) (places []float64, labels []string, kind scaleKind) {
	rows := len(f.columns[0].cells)
	if x == nil {
		for i := range rows {
			places = append(places, float64(i+1))
			labels = append(labels, fmt.Sprint(i+1))
		}
		if c.spec.Kind != Bar {
			return places, nil, numeric
		}
		for i := range places {
			places[i]--
		}
		return places, labels, category
	}
	if x.kind != category && c.spec.Kind != Bar {
		return x.numbers, nil, x.kind
	}
	at := map[string]int{}
	for _, cell := range x.cells {
		label := value.CellText(cell)
		i, seen := at[label]
		if !seen {
			i = len(labels)
			at[label] = i
			labels = append(labels, label)
		}
		places = append(places, float64(i))
	}
	return places, labels, category
}

// groupRows parts every series by the values of the group column.
func (c *chart) groupRows(f *frame) error {
	if c.spec.Group == "" {
		return nil
	}
	by, err := f.find(c.spec.Group)
	if err != nil {
		return err
	}
	var parted []series
	for _, s := range c.series {
		at := map[string]int{}
		for row, cell := range by.cells {
			label := value.CellText(cell)
			i, seen := at[label]
			if !seen {
				i = len(parted)
				at[label] = i
				name := label
				if len(c.series) > 1 {
					name = s.name + " " + label
				}
				parted = append(parted, series{name: name})
			}
			parted[i].xs = append(parted[i].xs, s.xs[row])
			parted[i].ys = append(parted[i].ys, s.ys[row])
		}
	}
	c.series = parted
	return nil
}

// label names the axes after what they show, unless the author did.
func (c *chart) label(ys []*column) {
	c.xLabel, c.yLabel = c.spec.XLabel, c.spec.YLabel
	if c.yLabel == "" && len(ys) == 1 && ys[0].named {
		c.yLabel = ys[0].name
	}
}

// stack puts each series on top of those before it.
func (c *chart) stack() {
	up, down := map[float64]float64{}, map[float64]float64{}
	for i := range c.series {
		s := &c.series[i]
		s.base = make([]float64, len(s.ys))
		for j, y := range s.ys {
			if !finite(y) {
				continue
			}
			heap := up
			if y < 0 {
				heap = down
			}
			s.base[j] = heap[s.xs[j]]
			heap[s.xs[j]] += y
			s.ys[j] = heap[s.xs[j]]
		}
	}
}

// valueTicks is about how many marks the value axis has.
const valueTicks = 6

// scaleValues makes the value axis: bars and areas start at zero.
func (c *chart) scaleValues() error {
	var values []float64
	for _, s := range c.series {
		values = append(values, s.ys...)
	}
	if (c.spec.Kind == Bar || c.spec.Kind == Area || c.spec.Kind == Histogram) && !c.spec.LogY {
		values = append(values, 0)
	}
	c.y = fit(numeric, values, c.spec.LogY)
	if c.spec.Min != nil {
		c.y.lo = *c.spec.Min
	}
	if c.spec.Max != nil {
		c.y.hi = *c.spec.Max
	}
	if !(c.y.lo < c.y.hi) {
		return fmt.Errorf("min %v is not below max %v", c.y.lo, c.y.hi)
	}
	if c.spec.LogY && c.y.lo <= 0 {
		return fmt.Errorf("min %v cannot be on a logarithmic axis", c.y.lo)
	}
	c.y.widen(valueTicks, c.spec.Min != nil, c.spec.Max != nil)
	if c.spec.Kind == Scatter && c.spec.Min == nil {
		c.x.widen(valueTicks, false, false)
	}
	return nil
}

// histogram counts the values of one column, or of several on the same bins.
func (c *chart) histogram(f *frame) error {
	var columns []*column
	if names := c.spec.Y; len(names) > 0 || c.spec.X != "" {
		if len(names) == 0 {
			names = []string{c.spec.X}
		}
		for _, name := range names {
			col, err := f.find(name)
			if err != nil {
				return err
			}
			if col.kind != numeric {
				return fmt.Errorf("column %q is not numeric: %s", name, firstText(col))
			}
			columns = append(columns, col)
		}
	} else {
		for _, col := range f.columns {
			if col.kind == numeric {
				columns = append(columns, col)
				break
			}
		}
	}
	if len(columns) == 0 {
		return fmt.Errorf("the data has no numeric column to count")
	}
	var all []float64
	for _, col := range columns {
		for _, v := range col.numbers {
			if finite(v) {
				all = append(all, v)
			}
		}
	}
	c.x = fit(numeric, all, false)
	bins := c.spec.Bins
	if bins == 0 { // Sturges' rule, at least 5
		bins = max(5, int(math.Ceil(math.Log2(float64(max(1, len(all))))))+1)
	}
	step := (c.x.hi - c.x.lo) / float64(bins)
	if c.spec.Bins == 0 {
		step = niceStep(c.x.hi-c.x.lo, bins)
		c.x.lo = math.Floor(c.x.lo/step) * step
		bins = max(1, int(math.Ceil((c.x.hi-c.x.lo)/step+1e-9)))
		if c.x.lo+float64(bins)*step <= slices.Max(all) {
			bins++
		}
		c.x.hi = c.x.lo + float64(bins)*step
	}
	for _, col := range columns {
		s := series{name: col.name, xs: make([]float64, bins), ys: make([]float64, bins)}
		for i := range s.xs {
			s.xs[i] = c.x.lo + (float64(i)+0.5)*step
		}
		for _, v := range col.numbers {
			if finite(v) {
				s.ys[max(0, min(bins-1, int((v-c.x.lo)/step)))]++
			}
		}
		c.series = append(c.series, s)
	}
	c.xLabel, c.yLabel = c.spec.XLabel, c.spec.YLabel
	if c.xLabel == "" && columns[0].named && len(columns) == 1 {
		c.xLabel = columns[0].name
	}
	if c.yLabel == "" {
		c.yLabel = "count"
	}
	return c.scaleValues()
}
