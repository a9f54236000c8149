// Package dynamo stands before any engine that speaks DynamoDB's JSON protocol, and simulates properties that only the
// cloud has. Transactions hold their items and become visible one by one. Requests meet conflicts, throttling, and
// failures before and after a write is applied. Answers get lost, attempts arrive late, and connections are refused.
// README.md explains each fault and its sources; cmd/dynamosim is this package as a program.
//
//	server, err := dynamo.Start(dynamo.Config{Engine: "http://127.0.0.1:8000", Options: options})
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Simulator.Switch(ctx, false) // no more faults, and nothing is under way any more
//	status := server.Simulator.Status()
//	err = server.Close(ctx)
//
// Each request that reads or writes items has a number in the order of arrival, and meets at most one fault. The fault,
// and every other random value, depends only on the seed, the number and the operation: the same requests in the same
// order meet the same faults. What else happens then depends on the machine's speed.
//
// The modes are packages of their own, each a transport for tests in Go. Package visibility makes transactions visible
// item by item, as its driver decides. Package capacity limits tables and partitions. Package faults plays faults by a
// script. Package protocol reads requests for all of them, and package holds has the items that transactions hold.
package dynamo
