package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/table"
)

type (
	pk          = table.PK
	sk          = table.SK
	key         = table.Key
	attributes  = table.Attributes
	span        = table.Span
	batch       = table.Batch
	transaction = table.Transaction
	damage      = table.Damage
)

var (
	errStale    = table.ErrStale
	errConflict = table.ErrHeld
	errDamaged  = table.ErrDamaged
)

const (
	settling         = table.Settling
	parallelReads    = table.ParallelReads
	transactionItems = table.TransactionItems
	absent           = table.Absent
)

func str[S ~string](s S) types.AttributeValue { return table.Str(s) }
func boolean(b bool) types.AttributeValue     { return table.Boolean(b) }
func number[N ~int | ~int32 | ~int64](n N) types.AttributeValue {
	return table.Number(n)
}
func asRead[N ~int64](values attributes, name string, value N) string {
	return table.AsRead(values, name, value)
}
func marshal(item any) (attributes, error)             { return table.Marshal(item) }
func unmarshal[T any](av attributes) (*T, error)       { return table.Unmarshal[T](av) }
func in[T any](b batch, k key) (*T, error)             { return table.In[T](b, k) }
func prefixed(p pk, prefix sk) span                    { return table.Prefixed(p, prefix) }
func patiently(ctx context.Context) context.Context    { return table.Patiently(ctx) }
func pause(ctx context.Context, d time.Duration) error { return table.Pause(ctx, d) }
func decodeAll[Item, Record any](items []attributes, decode func(*Item) Record) ([]Record, error) {
	return table.UnmarshalAll(items, decode)
}
func get[T any](ctx context.Context, t *table.Table, k key) (*T, error) {
	return table.Get[T](ctx, t, k)
}
func getSettled[T any](ctx context.Context, t *table.Table, k key) (*T, error) {
	return table.GetSettled[T](ctx, t, k)
}
func queryPage[Item, Record any](ctx context.Context, t *table.Table, sp span, after sk, limit int32, decode func(*Item) Record) ([]Record, sk, error) {
	return table.QueryPage(ctx, t, sp, after, limit, decode)
}
func queryAs[Item, Record any](ctx context.Context, t *table.Table, sp span, decode func(*Item) Record) ([]Record, error) {
	return table.QueryAs(ctx, t, sp, decode)
}
func inParallelMax[In, Out any](ctx context.Context, limit int, inputs []In, do func(context.Context, In) (Out, error)) ([]Out, error) {
	return table.InParallel(ctx, limit, inputs, do)
}
func settled(ctx context.Context, looks int, look func() (complete bool, err error)) (bool, error) {
	return table.Settled(ctx, looks, look)
}
