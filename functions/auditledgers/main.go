// Auditledgers runs once a day, compares every account's balance with its ledger, and clears up after calls that broke
// off.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
