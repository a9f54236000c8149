// Judgedue runs every minute, if it is switched on, and judges the shows whose closing time has passed.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
