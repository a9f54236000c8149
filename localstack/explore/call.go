package explore

import "github.com/ranch-game/ranch/infra/history"

// Call is an operation that somebody is to make.
type Call struct {
	Name string // in a story: "Ann enters Bessie"
	Op   history.Op
}
