// Package dynamo is a proxy between clients and an engine: any server, such as DynamoDB Local, that speaks DynamoDB's
// JSON protocol. The proxy simulates what only the cloud does. A transaction holds (locks) its items, and they become
// visible one by one. Requests get conflicts, throttling, and failures before or after the engine applies a write.
// Responses get lost, requests arrive late, and connections are refused. README.md explains each fault and its sources.
//
//	server, err := dynamo.Start("http://127.0.0.1:8000", options)
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Simulator.Switch(ctx, false) // turns the faults off, and waits for running requests
//	status := server.Simulator.Status()
//	err = server.Close(ctx)
//
// Each request that reads or writes items gets a number in the order of arrival, and at most one fault. The seed and
// the number decide the fault and every other random value. If the fault is impossible for the request, the request
// gets none. So the same requests in the same order get the same faults. Times still depend on the machine.
//
// Each kind of simulation is a package of its own, which tests in Go can use without the proxy. Package visibility
// makes the items of transactions visible one by one, when its driver decides. Package capacity limits tables and
// partitions. Package faults defines the faults, and plays them by a script. Package protocol parses requests for all
// of these packages. Package holds records the items that transactions hold.
package dynamo
