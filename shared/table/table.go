package table

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table sends requests to a table. It is safe for concurrent use.
type Table struct {
	db   *dynamodb.Client
	name string
	busy error
	// Chance determines the waits between attempts.
	Chance Chance
}

// New returns the table with the name. The client must have been made with ClientOptions. busy is the error of a request
// that the table throttles for too long: its caller should come back later.
func New(db *dynamodb.Client, name string, busy error) *Table {
	return &Table{db: db, name: name, busy: busy, Chance: atRandom}
}

// WithChance returns the same table with waits that c determines, so that a test waits equally in every run. It does
// not affect the waits between the SDK's attempts of a request, which the client's Retryer determines.
func (t *Table) WithChance(c Chance) *Table {
	other := *t
	other.Chance = c
	return &other
}

// Partition keys and sort keys have different types, so that the compiler finds one in the other's place.
type (
	PK string
	SK string
)

// Key is the primary key of an item. The structs of items embed it.
type Key struct {
	PK PK `dynamodbav:"PK"`
	SK SK `dynamodbav:"SK"`
}

// Attributes returns the key in the SDK's form.
func (k Key) Attributes() Attributes {
	return Attributes{"PK": Str(string(k.PK)), "SK": Str(string(k.SK))}
}

func (k Key) String() string { return string(k.PK) + " " + string(k.SK) }

// kind returns the part of the key that errors show, such as USER. Other parts may be names, and errors are logged.
func (k Key) kind() string {
	kind, _, _ := strings.Cut(string(k.PK), "#")
	return kind
}

// Attributes is an item, or the values of an expression, in the SDK's form.
type Attributes = map[string]types.AttributeValue

// Str returns a text as an attribute's value.
func Str[S ~string](s S) types.AttributeValue { return &types.AttributeValueMemberS{Value: string(s)} }

// Set returns a set of bytes as an attribute's value. DynamoDB refuses an empty one.
func Set(elements [][]byte) types.AttributeValue {
	return &types.AttributeValueMemberBS{Value: elements}
}

// Boolean returns a truth value as an attribute's value.
func Boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// Number returns a number as an attribute's value.
func Number[N ~int | ~int32 | ~int64](n N) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}

// Marshal returns a struct of an item in the SDK's form.
func Marshal(item any) (Attributes, error) {
	av, err := attributevalue.MarshalMap(item)
	if err != nil {
		return nil, fmt.Errorf("marshal %T: %w", item, err)
	}
	return av, nil
}

// ErrDamaged means that a record is missing or has a content that no program writes.
var ErrDamaged = errors.New("unmarshal")

// Damage is an ErrDamaged with a text of its own.
type Damage string

func (d Damage) Error() string { return string(d) }

// Is reports whether the target is ErrDamaged.
func (Damage) Is(target error) bool { return target == ErrDamaged }

// Unmarshal returns the item as a struct, or ErrDamaged.
func Unmarshal[Item any](av Attributes) (*Item, error) {
	item := new(Item)
	if err := attributevalue.UnmarshalMap(av, item); err != nil {
		return nil, fmt.Errorf("%w %T: %w", ErrDamaged, item, err)
	}
	return item, nil
}

// UnmarshalAll turns items into records; the list is never nil.
func UnmarshalAll[Item, Record any](items []Attributes, decode func(*Item) Record) ([]Record, error) {
	records := make([]Record, len(items))
	for i, av := range items {
		item, err := Unmarshal[Item](av)
		if err != nil {
			return nil, err
		}
		records[i] = decode(item)
	}
	return records, nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
