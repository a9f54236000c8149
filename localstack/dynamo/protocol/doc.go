// Package dynamojson reads and writes what clients and DynamoDB send each other, as far as something that stands
// between them needs it: where the members of a JSON body are, which item a request names, how a table's keys are
// called, and what DynamoDB's refusals look like.
package protocol
