package main

import (
	"fmt"

	"github.com/ranch-game/ranch/localstack/stack"
)

// welcome is what the developer sees once everything runs: where everything is, what to do with it, and, as the last
// line, that it is ready.
func welcome(api, endpoint string) string {
	places := fmt.Sprintf("API:      %s\nDynamoDB: %s (table %s)\n", api, endpoint, stack.TableName)
	return "\n" + places + "\nIn a second terminal, `make tour` plays the whole loop and shows each request and its answer. After a change, `make functions`\n" +
		"puts the new programs in the place of the old ones. Ctrl-C ends it.\nReady: " + api + "\n"
}
