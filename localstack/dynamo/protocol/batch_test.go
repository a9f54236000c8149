package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	const tables = `{"t":{"Keys":[1,2],"ConsistentRead":true},"u":{"Keys":[3]}}`
	b, err := ParseBatch([]byte(tables))
	if err != nil || b.Len() != 3 || string(b.JSON()) != tables {
		t.Errorf("%v %s, %v", b, b.JSON(), err)
	}
	first := b.Where(func(i int) bool { return i < 2 })
	got := string(first.JSON())
	assert.Equal(t, `{"t":{"Keys":[1,2],"ConsistentRead":true}}`, got, "the first two: %s", got)
	answer, left := LeaveOut("BatchGetItem", []byte(`{"UnprocessedKeys":`+string(first.JSON())+`}`), b.Where(func(i int) bool { return i == 2 }))
	assert.True(t, string(answer) == `{"UnprocessedKeys":`+tables+`}` && left.Len() == 3, "with more: %s", answer)
	b, err = ParseBatch([]byte(`{"t":7}`))
	assert.Error(t, err, "no batch is %v", b)
}
