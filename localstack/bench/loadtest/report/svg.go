package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Chart is horizontal bars, one below the other. It is the one kind of picture that the page needs, which is why no
// library draws it: they bring fonts and rasterizers, and none follows the reader's light or dark scheme.
type Chart struct {
	Title string
	Bars  []Bar
	Goal  float64 // where a line is drawn; 0: none
	Says  string  // what the line says
	Log   bool    // lengths by powers of ten, from the one below the least value
}

// Bar is one of a chart's bars.
type Bar struct {
	Label string
	Value float64
	Text  string // of the value
}

const (
	chartWidth = 760
	labelWidth = 250
	barWidth   = 330 // of the longest one
	rowHeight  = 26
	chartTop   = 48
)

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.bar { fill: #0969da }
.goal { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 4 3 }
.says { fill: #cf222e }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .bar { fill: #4493f8 }
  .goal { stroke: #ff7b72 }
  .says { fill: #ff7b72 }
}
</style>
`

// SVG draws the chart: the same bytes for the same figures, readable on a light and on a dark page.
func (c Chart) SVG() []byte {
	least, most := math.Inf(1), c.Goal
	for _, bar := range c.Bars {
		most = max(most, bar.Value)
		if bar.Value > 0 {
			least = min(least, bar.Value)
		}
	}
	length := func(value float64) float64 {
		switch {
		case most <= 0 || value <= 0:
			return 0
		case c.Log:
			from := math.Floor(math.Log10(least)) - 1
			return barWidth * max(0, (math.Log10(value)-from)/(math.Log10(most)-from))
		}
		return barWidth * value / most
	}
	height := chartTop + rowHeight*len(c.Bars) + 10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", escape(c.Title), style)
	fmt.Fprintf(&b, `<text class="title" x="10" y="20">%s</text>`+"\n", escape(c.Title))
	for i, bar := range c.Bars {
		y := chartTop + rowHeight*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labelWidth-10, y+16, escape(bar.Label))
		fmt.Fprintf(&b, `<rect class="bar" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", labelWidth, y+3, length(bar.Value), rowHeight-8)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`+"\n", labelWidth+length(bar.Value)+8, y+16, escape(bar.Text))
	}
	if c.Goal > 0 {
		x := labelWidth + length(c.Goal)
		fmt.Fprintf(&b, `<line class="goal" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`+"\n", x, chartTop-6, x, height-10)
		fmt.Fprintf(&b, `<text class="says" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, chartTop-10, escape(c.Says))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
