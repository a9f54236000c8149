package main

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/infra/running"
)

// welcome is what the developer sees once everything runs: where everything is, first of all where to play, what to do
// with it, and, as the last line, that it is ready.
func welcome(s running.Stack) string {
	var text strings.Builder
	if s.Play != "" {
		fmt.Fprintf(&text, "\nGame:     %s\nContract: %[1]s/reference/", s.Play)
	}
	fmt.Fprintf(&text, "\nAPI:      %s\nDynamoDB: %s (table %s)\n\n", s.API, s.Endpoint, s.Table)
	text.WriteString("In a second terminal, `make tour` plays the whole loop and shows each request and its answer. After a change, `make functions`\n" +
		"puts the new programs in the place of the old ones. Ctrl-C ends it.\nReady: " + s.API + "\n")
	return text.String()
}
