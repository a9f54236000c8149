// Package conformance tests that all clients for games behave alike. Its scenarios run against the real service, behind
// a proxy that loses, cuts and holds answers (proxy_test.go). For each client, a small program, the driver, makes the
// calls that the suite wants; driver/README.md has the protocol. docs/scenarios.md lists the scenarios. It also says how
// to test a client of your own, for which you write a driver.
package conformance
