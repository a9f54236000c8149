// Package faults plays what a DynamoDB in the cloud has and local engines have not: transactions that hold their items
// and become visible one by one (package visibility), conflicts, throttling, failures before and after a write was
// applied, answers that get lost, attempts that arrive late, and connections that are refused. docs/faultproxy.md
// explains each fault and where it comes from; Command faultproxy is this package as a program.
//
//	server, err := dynamo.Start(dynamo.Config{Engine: "http://127.0.0.1:8000", Options: options})
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Proxy.Switch(ctx, false) // no more faults, and nothing is under way any more
//	counts := server.Proxy.Status()
//	err = server.Close(ctx)
//
// Each request that reads or writes items is one in a sequence, in the order of their arrivals, and meets at most one
// fault. Which one, and everything else that is left to chance, follows from the seed, its number in the sequence and
// its operation alone: the same requests in the same order meet the same. How fast the machine is decides what else is
// going on then.
//
// Package limits is another thing between clients and engine: it has capacity, latencies, and holds that end by the
// clock, and plays no fault by chance. To have both, let limits be what listens at Config.Engine.
package dynamo
