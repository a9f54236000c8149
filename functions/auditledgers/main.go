// Auditledgers runs once a day. It compares every account's balance with its ledger, and repairs what interrupted calls
// have left behind: results without a show, names of deleted players, and missing notes of pending refunds.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/upkeep"
)

func main() { boot.Run(job(upkeep.Auditor{Store: boot.Store()})) }
