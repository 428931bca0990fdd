package plot

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"wb/internal/clip"
)

// palette is Okabe and Ito's, which people with any colour vision can tell
// apart, without its yellow.
var palette = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#666666"}

// style follows the reader's light or dark setting.
const style = `text{fill:#333}.t{font-size:16px;font-weight:600}.g{stroke:#e3e3e3}.a{stroke:#888}.bg{fill:#fff}` +
	`@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#3a3a3a}.a{stroke:#999}.bg{fill:#1b1b1b}}`

// Measures in pixels. Widths of text are estimated: no font is at hand.
const (
	fontSize   = 12
	charWidth  = 6.6
	lineHeight = 16.0
	pad        = 12.0
)

// canvas is a picture being written: the box of the plot within it.
type canvas struct {
	*chart
	b                        strings.Builder
	left, right, top, bottom float64
	xTicks, yTicks           []tick
	tilted                   bool // labels of the horizontal axis
}

// svg draws the chart.
func (c *chart) svg() string {
	v := &canvas{chart: c}
	v.layOut()
	name := c.spec.Title
	if name == "" {
		name = strings.TrimSpace(fmt.Sprintf("%s chart of %s", c.spec.Kind, c.names()))
	}
	fmt.Fprintf(&v.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s" font-family="system-ui, sans-serif" font-size="%d">`+"\n",
		c.spec.Width, c.spec.Height, c.spec.Width, c.spec.Height, esc(name), fontSize)
	fmt.Fprintf(&v.b, "<style>%s</style>\n<rect class=\"bg\" fill=\"#fff\" width=\"100%%\" height=\"100%%\"/>\n", style)
	v.frame()
	for i := range c.series {
		switch c.spec.Kind {
		case Bar, Histogram:
			v.bars(i)
		case Area:
			v.area(i)
			v.line(i)
		case Scatter:
			v.points(i, 3.5)
		default:
			v.line(i)
		}
	}
	v.legend()
	v.b.WriteString("</svg>\n")
	return v.b.String()
}

func (c *chart) names() string {
	var names []string
	for _, s := range c.series {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// esc makes text safe inside XML, which has no control characters.
func esc(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")))
}

// n writes a length with at most two digits behind the point.
func n(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64)
}

func (c *chart) horizontal() bool { return c.spec.Horizontal && c.spec.Kind == Bar }

// hasLegend reports whether series need names.
func (c *chart) hasLegend() bool { return c.spec.Legend && len(c.series) > 1 }

// layOut finds the box of the plot: what is left after titles and labels.
func (v *canvas) layOut() {
	w, h := float64(v.spec.Width), float64(v.spec.Height)
	v.top, v.bottom, v.left, v.right = pad, h-pad, pad, w-pad
	if v.spec.Title != "" {
		v.top += 24
	}
	if v.hasLegend() {
		v.top += lineHeight*float64(len(v.legendRows())) + 6
	}
	below, beside := v.xLabel, v.yLabel
	v.xTicks, v.yTicks = v.x.ticks(max(2, int(w/90))), v.y.ticks(valueTicks)
	if v.x.kind == category {
		v.xTicks = v.x.ticks(max(1, int((w-60)/28)))
	}
	across, upright := v.xTicks, v.yTicks
	if v.horizontal() {
		v.yTicks = v.y.ticks(max(2, int(w/90)))
		v.xTicks = v.x.ticks(max(1, int(h/18)))
		across, upright, below, beside = v.yTicks, v.xTicks, v.yLabel, v.xLabel
	}
	if below != "" {
		v.bottom -= lineHeight + 2
	}
	if beside != "" {
		v.left += lineHeight + 2
	}
	v.left += widest(upright)*charWidth + 8
	v.right -= 6
	if last := len(across) - 1; last >= 0 && (v.x.kind != category || v.horizontal()) {
		v.right -= charWidth * float64(utf8.RuneCountInString(across[last].label)) / 2 // it may stand at the very end
	}
	room := (v.right - v.left) / float64(max(1, len(across)))
	if v.tilted = widest(across)*charWidth > room-4; v.tilted {
		v.bottom -= math.Min(h/3, widest(across)*charWidth*0.71+10)
	} else {
		v.bottom -= lineHeight + 4
	}
	v.bottom, v.right = math.Max(v.bottom, v.top+20), math.Max(v.right, v.left+20)
}

func widest(ticks []tick) float64 {
	most := 0
	for _, t := range ticks {
		most = max(most, utf8.RuneCountInString(clip.Chars(t.label, maxLabel)))
	}
	return float64(most)
}

// maxLabel is how many characters of a label are shown.
const maxLabel = 24

// px is where a pair of values lies in the picture.
func (v *canvas) px(x, y float64) (float64, float64) {
	if v.horizontal() {
		return v.left + v.y.at(y)*(v.right-v.left), v.top + v.x.at(x)*(v.bottom-v.top)
	}
	return v.left + v.x.at(x)*(v.right-v.left), v.bottom - v.y.at(y)*(v.bottom-v.top)
}

// frame draws titles, grid, axes and their labels.
func (v *canvas) frame() {
	if v.spec.Title != "" {
		fmt.Fprintf(&v.b, "<text class=\"t\" font-size=\"16\" x=\"%s\" y=\"%s\">%s</text>\n", n(pad), n(pad+14), esc(v.spec.Title))
	}
	across, upright, acrossScale, uprightScale := v.xTicks, v.yTicks, v.x, v.y
	below, beside := v.xLabel, v.yLabel
	if v.horizontal() {
		across, upright, acrossScale, uprightScale = v.yTicks, v.xTicks, v.y, v.x
		below, beside = v.yLabel, v.xLabel
	}
	for _, t := range upright {
		at := v.bottom - uprightScale.at(t.at)*(v.bottom-v.top)
		if v.horizontal() {
			at = v.top + uprightScale.at(t.at)*(v.bottom-v.top)
		}
		if uprightScale.kind != category {
			fmt.Fprintf(&v.b, "<path class=\"g\" stroke=\"#e3e3e3\" d=\"M%s %sH%s\"/>\n", n(v.left), n(at), n(v.right))
		}
		fmt.Fprintf(&v.b, "<text x=\"%s\" y=\"%s\" text-anchor=\"end\">%s</text>\n", n(v.left-6), n(at+4), esc(clip.Chars(t.label, maxLabel)))
	}
	for _, t := range across {
		at := v.left + acrossScale.at(t.at)*(v.right-v.left)
		if acrossScale.kind != category {
			fmt.Fprintf(&v.b, "<path class=\"g\" stroke=\"#e3e3e3\" d=\"M%s %sV%s\"/>\n", n(at), n(v.top), n(v.bottom))
		}
		turn, anchor, y := "", "middle", v.bottom+lineHeight
		if v.tilted {
			y = v.bottom + 12
			anchor, turn = "end", fmt.Sprintf(" transform=\"rotate(-45 %s %s)\"", n(at), n(y))
		}
		fmt.Fprintf(&v.b, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>\n", n(at), n(y), anchor, turn, esc(clip.Chars(t.label, maxLabel)))
	}
	fmt.Fprintf(&v.b, "<path class=\"a\" stroke=\"#888\" fill=\"none\" d=\"M%s %sV%sH%s\"/>\n", n(v.left), n(v.top), n(v.bottom), n(v.right))
	if below != "" {
		fmt.Fprintf(&v.b, "<text x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>\n", n((v.left+v.right)/2), n(float64(v.spec.Height)-pad+2), esc(below))
	}
	if beside != "" {
		x, y := pad+6, (v.top+v.bottom)/2
		fmt.Fprintf(&v.b, "<text x=\"%s\" y=\"%s\" text-anchor=\"middle\" transform=\"rotate(-90 %s %s)\">%s</text>\n", n(x), n(y), n(x), n(y), esc(beside))
	}
}

func colour(i int) string { return palette[i%len(palette)] }

// zero is where bars and areas stand: at zero, or at the foot of an axis that
// does not show it.
func (v *canvas) zero() float64 { return math.Max(v.y.lo, math.Min(v.y.hi, 0)) }

// clamp keeps a value on the value axis.
func (v *canvas) clamp(y float64) float64 { return math.Max(v.y.lo, math.Min(v.y.hi, y)) }

// bars draws one series of bars, beside those of the others unless stacked.
func (v *canvas) bars(at int) {
	s := v.series[at]
	places := 1.0
	if v.spec.Kind == Histogram {
		places = (v.x.hi - v.x.lo) / float64(len(s.xs))
	}
	width, shift := 0.8*places, 0.0
	switch {
	case v.spec.Kind == Histogram && len(v.series) == 1:
		width = places
	case s.base == nil:
		width /= float64(len(v.series))
		shift = (float64(at) - float64(len(v.series)-1)/2) * width
	}
	gap := ""
	if v.spec.Kind == Histogram {
		gap = ` stroke="#fff" stroke-width="0.5"`
	}
	fmt.Fprintf(&v.b, "<g fill=\"%s\"%s>\n", colour(at), gap)
	for i, y := range s.ys {
		if !finite(y) || !finite(s.xs[i]) || v.y.log && y <= 0 {
			continue
		}
		base := v.zero()
		if s.base != nil {
			base = v.clamp(s.base[i])
		}
		x0, y0 := v.px(s.xs[i]+shift-width/2, base)
		x1, y1 := v.px(s.xs[i]+shift+width/2, v.clamp(y))
		fmt.Fprintf(&v.b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">%s</rect>\n",
			n(math.Min(x0, x1)), n(math.Min(y0, y1)), n(math.Abs(x1-x0)), n(math.Abs(y1-y0)), v.tip(s, i))
	}
	v.b.WriteString("</g>\n")
}

// tip is the text shown over a mark.
func (v *canvas) tip(s series, i int) string {
	y := s.ys[i]
	if s.base != nil {
		y -= s.base[i]
	}
	label := strconv.FormatFloat(s.xs[i], 'g', 6, 64)
	if k := int(s.xs[i]); v.x.kind == category && k >= 0 && k < len(v.x.labels) {
		label = v.x.labels[k]
	}
	if v.x.kind == calendar {
		label = ""
	}
	if len(v.series) > 1 {
		label = strings.TrimSpace(s.name + " " + label)
	}
	return fmt.Sprintf("<title>%s</title>", esc(strings.TrimPrefix(label+": ", ": ")+strconv.FormatFloat(y, 'g', 6, 64)))
}

// run is a stretch of a series without gaps, as indices [from, to).
type run struct{ from, to int }

func (v *canvas) runs(s series) []run {
	var all []run
	from := -1
	for i := range s.ys {
		ok := finite(s.ys[i]) && finite(s.xs[i]) && v.x.has(s.xs[i]) && (!v.y.log || s.ys[i] > 0)
		if ok && from < 0 {
			from = i
		}
		if !ok && from >= 0 {
			all, from = append(all, run{from, i}), -1
		}
	}
	if from >= 0 {
		all = append(all, run{from, len(s.ys)})
	}
	return all
}

// line draws one series as a line, with its points when they are few.
func (v *canvas) line(at int) {
	s := v.series[at]
	for _, r := range v.runs(s) {
		var d strings.Builder
		for i := r.from; i < r.to; i++ {
			x, y := v.px(s.xs[i], v.clamp(s.ys[i]))
			d.WriteString(string("ML"[min(1, i-r.from)]) + n(x) + " " + n(y))
		}
		fmt.Fprintf(&v.b, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"%s\"/>\n", colour(at), d.String())
	}
	if len(s.ys) <= 60 {
		v.points(at, 2.5)
	}
}

// area fills what lies between a series and its base.
func (v *canvas) area(at int) {
	s := v.series[at]
	for _, r := range v.runs(s) {
		var up, back strings.Builder
		for i := r.from; i < r.to; i++ {
			x, y := v.px(s.xs[i], v.clamp(s.ys[i]))
			up.WriteString(string("ML"[min(1, i-r.from)]) + n(x) + " " + n(y))
		}
		for i := r.to - 1; i >= r.from; i-- {
			base := v.zero()
			if s.base != nil {
				base = v.clamp(s.base[i])
			}
			x, y := v.px(s.xs[i], base)
			back.WriteString("L" + n(x) + " " + n(y))
		}
		fmt.Fprintf(&v.b, "<path fill=\"%s\" fill-opacity=\"0.35\" d=\"%s%sZ\"/>\n", colour(at), up.String(), back.String())
	}
}

// points draws one series as dots.
func (v *canvas) points(at int, radius float64) {
	s := v.series[at]
	opacity := ""
	if v.spec.Kind == Scatter {
		opacity = ` fill-opacity="0.75"`
	}
	fmt.Fprintf(&v.b, "<g fill=\"%s\"%s>\n", colour(at), opacity)
	for _, r := range v.runs(s) {
		for i := r.from; i < r.to; i++ {
			if !v.y.has(s.ys[i]) {
				continue
			}
			x, y := v.px(s.xs[i], s.ys[i])
			fmt.Fprintf(&v.b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\">%s</circle>\n", n(x), n(y), n(radius), v.tip(s, i))
		}
	}
	v.b.WriteString("</g>\n")
}

// legendRows puts the names of series on as many lines as they need.
func (v *canvas) legendRows() [][]int {
	var rows [][]int
	room := 0.0
	for i, s := range v.series {
		width := v.legendWidth(s)
		if room < width || len(rows) == 0 {
			rows, room = append(rows, nil), float64(v.spec.Width)-2*pad
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		room -= width
	}
	return rows
}

func (v *canvas) legendWidth(s series) float64 {
	return 26 + charWidth*float64(utf8.RuneCountInString(clip.Chars(s.name, maxLabel)))
}

// legend names the series above the plot.
func (v *canvas) legend() {
	if !v.hasLegend() {
		return
	}
	y := pad
	if v.spec.Title != "" {
		y += 24
	}
	for _, row := range v.legendRows() {
		x := pad
		for _, i := range row {
			fmt.Fprintf(&v.b, "<rect x=\"%s\" y=\"%s\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/><text x=\"%s\" y=\"%s\">%s</text>\n",
				n(x), n(y), colour(i), n(x+17), n(y+10), esc(clip.Chars(v.series[i].name, maxLabel)))
			x += v.legendWidth(v.series[i])
		}
		y += lineHeight
	}
}
