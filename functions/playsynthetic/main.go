// Playsynthetic runs every minute and calls the API over HTTP, as a player of its own, to notice outages.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() { boot.Run(job(boot.Variable("API_URL"), boot.Variable("STACK_ID"))) }
