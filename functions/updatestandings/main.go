// Updatestandings runs every minute. It adds the results of judged shows to the standings of their seasons.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() { boot.Run(job(boot.Store())) }
