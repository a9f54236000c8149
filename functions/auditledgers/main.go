// Auditledgers runs once a day. It compares every account's balance with its ledger, and deletes what interrupted calls
// have left behind.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
