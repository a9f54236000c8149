// Auditledgers is run once a day, and compares every account's balance with its ledger.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
