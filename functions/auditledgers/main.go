// Auditledgers is run once a day, compares every account's balance with its ledger, and
// clears up what calls that broke off have left.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
