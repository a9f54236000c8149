// Package wire weakens one guard in the requests of a store to its table: it drops a write, or disables one term of a
// write's condition. `make mutants` selects the guard by environment variables of a test's process. Without these
// variables package wire does nothing.
//
// A mutant is a request without one guard. Its name comes from the request, so that package wire needs no source code:
//
//	Store.Claim: Update USER#*/PROFILE: always ls = :seen
//
// The parts of a name are the store's method that a test has called, the kind of write, its key's form, and the change.
package wire

import (
	"context"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// These are the environment variables of a test's process.
const (
	Chosen = "RANCH_MUTANT"       // the name of the mutant to run; without it, nothing changes
	Notes  = "RANCH_MUTANT_NOTES" // a file to which the process appends its mutants, as lines of the method's file, a tab and the name
)

// Weaken adds a middleware before all others of a client. It makes the chosen mutant's change in the client's requests,
// and notes the names of all possible mutants.
func Weaken(stack *middleware.Stack) error {
	m := mutator{chosen: os.Getenv(Chosen), notes: os.Getenv(Notes)}
	if m.chosen == "" && m.notes == "" {
		return nil
	}
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("mutants",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if m.operation, m.path = operation(); m.operation == "" {
				return next.HandleInitialize(ctx, in) // a test's own request
			}
			var dropped any
			if in.Parameters, dropped = m.weaken(in.Parameters); dropped != nil {
				return middleware.InitializeOutput{Result: dropped}, middleware.Metadata{}, nil
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
}

// mutator weakens one request.
type mutator struct{ chosen, notes, operation, path string }

// is reports whether the mutant with this name is the chosen one. If the process takes notes, is notes the name.
func (m mutator) is(name string) bool {
	if m.notes != "" {
		note(m.notes, m.path+"\t"+name)
	}
	return m.chosen == name
}

// weaken returns the request with the chosen change. dropped is the answer if the change drops the request.
func (m mutator) weaken(request any) (changed, dropped any) {
	switch in := request.(type) {
	case *dynamodb.TransactWriteItemsInput:
		weak := *in
		weak.TransactItems = slices.Clone(in.TransactItems)
		for i, item := range in.TransactItems {
			weak.TransactItems[i] = m.item(item)
		}
		return &weak, nil
	case *dynamodb.UpdateItemInput:
		weak := *in
		if m.write("Update", in.Key, &weak.ConditionExpression) {
			return nil, &dynamodb.UpdateItemOutput{}
		}
		return &weak, nil
	case *dynamodb.DeleteItemInput:
		weak := *in
		if m.write("Delete", in.Key, &weak.ConditionExpression) {
			return nil, &dynamodb.DeleteItemOutput{}
		}
		return &weak, nil
	}
	return request, nil
}

// item returns an item of a transaction with the chosen change. If the change drops the item, item returns a check that
// always holds, so that the reasons of a cancellation keep their places.
func (m mutator) item(item types.TransactWriteItem) types.TransactWriteItem {
	var kind string
	var table *string
	var key map[string]types.AttributeValue
	var condition **string
	switch {
	case item.Put != nil:
		weak := *item.Put
		item.Put, kind, table, key, condition = &weak, "Put", weak.TableName, weak.Item, &weak.ConditionExpression
	case item.Update != nil:
		weak := *item.Update
		item.Update, kind, table, key, condition = &weak, "Update", weak.TableName, weak.Key, &weak.ConditionExpression
	case item.Delete != nil:
		weak := *item.Delete
		item.Delete, kind, table, key, condition = &weak, "Delete", weak.TableName, weak.Key, &weak.ConditionExpression
	default:
		weak := *item.ConditionCheck
		item.ConditionCheck, kind, table, key, condition = &weak, "ConditionCheck", weak.TableName, weak.Key, &weak.ConditionExpression
	}
	if !m.write(kind, key, condition) {
		return item
	}
	sk := &types.AttributeValueMemberS{Value: text(key["SK"]) + "#DROPPED"}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: table, Key: map[string]types.AttributeValue{"PK": key["PK"], "SK": sk}, ConditionExpression: aws.String("attribute_not_exists(PK)"),
	}}
}

// write makes the chosen change in the condition of a write, and reports whether the caller must drop the write.
func (m mutator) write(kind string, key map[string]types.AttributeValue, condition **string) (dropped bool) {
	of := m.operation + ": " + kind + " " + shape(text(key["PK"])) + "/" + shape(text(key["SK"])) + ": "
	dropped = kind != "ConditionCheck" && m.is(of+"dropped")
	if *condition == nil {
		return dropped
	}
	for _, v := range variants(**condition) {
		if m.is(of + v.change) {
			*condition = &v.condition
		}
	}
	return dropped
}

func text(value types.AttributeValue) string {
	s, _ := value.(*types.AttributeValueMemberS)
	return s.Value
}

// word matches the parts of a key that name its kind, such as USER.
var word = regexp.MustCompile(`^[A-Z]+$`)

// shape returns a key with * in place of each part that differs from item to item: USER#* for USER#0b1f…. In the key of
// a board (a list of shows), it keeps the status. In the key of a gate (a counter shard), it keeps only the first part.
func shape(key string) string {
	parts := strings.Split(key, "#")
	for i, part := range parts {
		board := i == 1 && parts[0] == "BOARD"
		if !board && (i%2 == 1 || !word.MatchString(part) || i > 0 && parts[0] == "G") {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "#")
}

// corePackages is the beginning of the names of the core's functions.
const corePackages = "github.com/ranch-game/ranch/shared/"

// operations are the types whose methods are operations, by their packages.
var operations = map[string]string{"Store": "store", "Desk": "operate", "Operator": "operate", "Auditor": "upkeep"}

// method matches the name of a method of a pointer type or of an exported type, at the beginning of a stack frame's
// function. It ignores the names of functions inside the method.
var method = regexp.MustCompile(`^(?:\(\*(\w+)\)|([A-Z]\w*))\.(\w+)`)

// operation returns the outermost operation of the core on the stack of a request, such as Store.Claim, and the path of
// its file, such as shared/store/claim.go. In a goroutine of an operation, only the type of its call may be on the stack:
// operation then returns the type, such as Judgement. For requests of a lease, which operations share, it returns
// "lease". For a request that a test sends without the store, it returns "". If a test makes a call during a request of
// another call (in Line), the other call does not count.
func operation() (outermost, file string) {
	var counters [100]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])])
	for {
		frame, more := frames.Next()
		name, inCore := strings.CutPrefix(frame.Function, corePackages)
		folder, name, _ := strings.Cut(name, ".")
		if m := method.FindStringSubmatch(name); m != nil && inCore && folder != "records" && !strings.HasSuffix(frame.File, "_test.go") {
			switch of := m[1] + m[2]; {
			case of == "Line":
				return outermost, file
			case of == "Lease":
				return "lease", sourceOf(folder, frame)
			case folder == "table": // it sends what operations ask for
			case operations[of] == folder:
				of += "." + m[3]
				fallthrough
			default:
				outermost, file = of, sourceOf(folder, frame)
			}
		}
		if !more {
			return outermost, file
		}
	}
}

// sourceOf returns the path of a frame's file in a folder of the core, from the repository's root.
func sourceOf(folder string, frame runtime.Frame) string {
	return "shared/" + folder + "/" + path.Base(frame.File)
}

var noted sync.Map

// note appends a line to a file, unless this process has appended it before.
func note(to, line string) {
	if _, before := noted.LoadOrStore(line, true); before {
		return
	}
	file, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.WriteString(line + "\n")
		file.Close()
	}
	if err != nil {
		panic(err)
	}
}

// always is a condition that holds for every item, and never holds for no item. A disabled term stays in the condition
// beside always or never, since DynamoDB refuses a request with unused values.
const (
	always = "attribute_exists(PK) OR attribute_not_exists(PK)"
	never  = "attribute_exists(PK) AND attribute_not_exists(PK)"
)

// variant is a condition with one change, and the change's name.
type variant struct{ change, condition string }

// variants returns every variant of a condition with one guard less: a term of an AND always holds, an alternative of
// an OR never holds, or a boundary moves.
func variants(condition string) []variant {
	var found []variant
	disable(condition, func(s string) string { return s }, func(change, condition string) {
		found = append(found, variant{change, condition})
	})
	return found
}

// comparison is a term whose boundary can move.
var comparison = regexp.MustCompile(`^(\S+) (<=?|>=?) (\S+)$`)

var boundary = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

// disable calls add for each variant of an expression. around puts a variant into the whole condition.
func disable(expression string, around func(string) string, add func(change, condition string)) {
	alternatives := split(expression, " OR ")
	for i, alternative := range alternatives {
		besideOthers := func(s string) string { return around(replaced(alternatives, i, s, " OR ")) }
		if len(alternatives) > 1 {
			add("never "+alternative, besideOthers("("+never+" AND "+alternative+")"))
		}
		terms := split(alternative, " AND ")
		for j, term := range terms {
			put := func(s string) string { return besideOthers(replaced(terms, j, s, " AND ")) }
			if len(terms) > 1 || len(alternatives) == 1 {
				add("always "+term, put("("+always+" OR "+term+")"))
			}
			if m := comparison.FindStringSubmatch(term); m != nil {
				add(boundary[m[2]]+" for "+term, put(m[1]+" "+boundary[m[2]]+" "+m[3]))
			}
			if inner, found := strings.CutPrefix(term, "("); found {
				disable(strings.TrimSuffix(inner, ")"), func(s string) string { return put("(" + s + ")") }, add)
			}
		}
	}
}

func replaced(parts []string, i int, by, separator string) string {
	parts = slices.Clone(parts)
	parts[i] = by
	return strings.Join(parts, separator)
}

// split returns the parts of an expression between the separators outside of parentheses.
func split(expression, separator string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(expression) {
		switch {
		case expression[i] == '(':
			depth++
		case expression[i] == ')':
			depth--
		case depth == 0 && i >= from && strings.HasPrefix(expression[i:], separator):
			parts = append(parts, expression[from:i])
			from = i + len(separator)
		}
	}
	return append(parts, expression[from:])
}
