// Package dynamo is a proxy before any engine that speaks DynamoDB's JSON protocol. It simulates properties that only
// the cloud has. Transactions hold their items, and the items become visible one by one. Requests meet conflicts,
// throttling, and failures before and after the engine applies a write. Responses get lost, attempts arrive late, and
// connections are refused. README.md explains each fault and its sources.
//
//	server, err := dynamo.Start("http://127.0.0.1:8000", options)
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Simulator.Switch(ctx, false) // no more faults, and nothing is under way any more
//	status := server.Simulator.Status()
//	err = server.Close(ctx)
//
// Each request that reads or writes items gets a number in the order of arrival, and meets at most one fault. The
// fault, and every other random value, depends only on the seed, the number and the operation. So the same requests in
// the same order meet the same faults. The timing still depends on the machine's speed.
//
// Each kind of simulation is a package of its own, which tests in Go can use as a transport. Package visibility makes
// the items of transactions visible one by one, when its driver decides. Package capacity limits tables and partitions.
// Package faults plays faults by a script. Package protocol parses requests for all of these packages, and package
// holds records the items that transactions hold.
package dynamo
