package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/client"
)

// screen is where the tour is shown.
type screen struct {
	out      io.Writer
	coloured bool
}

// Styles of a terminal.
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

// line writes a line, harmlessly whatever names are in it.
func (s screen) line(style, text string) {
	text = terminal.Visible(text)
	if s.coloured {
		text = style + text + plain
	}
	fmt.Fprintln(s.out, text)
}

func (s screen) say(format string, args ...any) { s.line(bold, fmt.Sprintf(format, args...)) }

// step says what comes next.
func (s screen) step(format string, args ...any) {
	fmt.Fprintln(s.out)
	s.say(format, args...)
}

// columns is how wide the JSON is laid out.
const columns = 110

// exchange shows a request and its answer. What is sent is marked with >, what comes back with <.
func (s screen) exchange(x client.Exchange) {
	asked := x.Request.Method + " " + x.Request.Path
	if x.Request.Token != "" {
		asked += ", with the access token"
	}
	style, became := green, fmt.Sprintf("%d", x.Answer.Status)
	switch {
	case x.Err != nil:
		style, became = red, x.Err.Error()
	case x.Answer.Status >= 400:
		style = red
	}
	s.line(style, fmt.Sprintf("%s: %s in %d ms", asked, became, x.Took.Milliseconds()))
	if x.Request.Body != nil {
		sent, err := json.Marshal(x.Request.Body)
		s.body("> ", sent, err)
	}
	if x.Err == nil {
		received, err := x.Answer.Plain()
		s.body("< ", received, err)
	}
}

func (s screen) body(mark string, body []byte, err error) {
	lines := []string{fmt.Sprintf("%.300s", body)} // what is no JSON
	if err != nil {
		lines[0] = err.Error()
	} else if v, err := parse(body); err == nil {
		lines = v.lines(columns)
	}
	for _, line := range lines {
		s.line(dim, mark+line)
	}
}

// secrets are the fields that are not shown: who has the value can be the player.
func isSecret(field string) bool {
	switch strings.ToLower(field) {
	case "password", "token", "refreshtoken":
		return true
	}
	return false
}

// shortened is enough of a secret to recognise its kind by.
func shortened(secret string) string {
	if len(secret) < 40 {
		return "…"
	}
	return secret[:6] + "…"
}
