package explore

import "github.com/ranch-game/ranch/localstack/verify/linearizability"

// Call is an operation that somebody is to make.
type Call struct {
	Name string // in a story: "Ann enters Bessie"
	Op   linearizability.Op
}
