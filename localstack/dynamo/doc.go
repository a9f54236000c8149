// Package dynamo stands before any engine that speaks DynamoDB's JSON protocol, and simulates what only the cloud does.
// Transactions hold their items and become visible one by one. Requests meet conflicts, throttling, and failures before
// and after a write is applied. Answers get lost, attempts arrive late, and connections are refused. README.md explains
// each fault and where it comes from; cmd/dynamosim is this package as a program.
//
//	server, err := dynamo.Start(dynamo.Config{Engine: "http://127.0.0.1:8000", Options: options})
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Simulator.Switch(ctx, false) // no more faults, and nothing is under way any more
//	status := server.Simulator.Status()
//	err = server.Close(ctx)
//
// Each request that reads or writes items is one in a sequence, in the order of their arrivals, and meets at most one
// fault. Which one, and everything else that is left to chance, follows from the seed, its number in the sequence and
// its operation alone: the same requests in the same order meet the same. How fast the machine is decides what else is
// going on then.
//
// The modes are packages of their own, each a transport for tests in Go. Package visibility shows transactions item by
// item, as its driver decides. Package capacity limits tables and partitions. Package faults plays faults by a script.
// Package protocol reads requests for all of them, and package holds has the items that transactions hold.
package dynamo
