// Package cloudwatch tells which state an alarm of a template is in, by the rules that CloudWatch documents: from
// the metrics in functions' logs (EMF) and those that AWS counts by itself, which the caller counts here. It does what
// such alarms need and refuses the rest.
//
//	data.go        data points and their statistics
//	emf.go         the data points of a line of a log
//	expression.go  metric math
//	alarm.go       an alarm, and its state
package cloudwatch
