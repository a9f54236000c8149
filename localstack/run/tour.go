package main

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/localstack/stack"
)

// tour returns shell commands that play the whole game once: with curl, and with Node, which the engine's package needs
// anyway, to read JSON. Each time they judge a show, so that they say how to make another one when there is none left.
func tour(api string) string {
	return strings.ReplaceAll(tourCommands, "{api}", api)
}

// No line begins with a # since an interactive zsh takes that for a command.
const tourCommands = `API={api}
json() { node -pe "const r = JSON.parse(require('fs').readFileSync(0, 'utf8')); $1"; }
call() { curl -sS -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"; }
NAME=rider-$(date +%s)
call $API/auth/register -d '{"email":"'$NAME'@example.com","username":"'$NAME'","password":"a long password","ranchName":"Sunny Acres"}'; echo
TOKEN=$(call $API/auth/login -d '{"email":"'$NAME'@example.com","password":"a long password"}' | json r.token)
call $API/animals; echo
call $API/events/shows; echo
ANIMAL=$(call $API/animals | json 'r[0].id')
SHOW=$(call "$API/events/shows?tier=rookie" | json 'r.at(-1)?.id ?? ""')
if [ -n "$SHOW" ]; then
  call $API/events/shows/$SHOW/enter -d '{"animalId":"'$ANIMAL'"}'; echo
  call -X POST $API/events/shows/$SHOW/judge; echo
  call -X POST $API/events/shows/$SHOW/claim-reward; echo
  call $API/events/shows/$SHOW; echo
else
  echo 'No rookie show is open. One more: go run ./infra/ranchctl show create --name Encore --tier rookie --fee 0 --closes-in 48h'
fi
call $API/events/season; echo
`

// welcome is what the developer sees once everything runs: what there is, what to do with it, and, as the last line,
// that it is ready.
func welcome(api, endpoint string) string {
	return fmt.Sprintf("\nAPI:      %s\nDynamoDB: %s (table %s)\nThe whole loop, to paste into a shell:\n\n%s\nCtrl-C ends it. After a change, `make functions` in another shell puts the new programs in the place of the old ones.\nReady: %s\n",
		api, endpoint, stack.TableName, tour(api), api)
}
