// Package cloudwatch says which state an alarm of template.yaml is in, by the rules that Amazon CloudWatch documents,
// from the metrics that the functions' logs carry (EMF) and those that AWS counts by itself, which somebody counts here
// in its place. It does what the template's alarms need and refuses the rest.
//
//	data.go        data points and their statistics
//	emf.go         the data points of a line of a log
//	expression.go  metric math
//	alarm.go       an alarm, and its state
package cloudwatch
