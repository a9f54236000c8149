package protocol

import "testing"

func TestBatch(t *testing.T) {
	t.Parallel()
	const tables = `{"t":{"Keys":[1,2],"ConsistentRead":true},"u":{"Keys":[3]}}`
	b, err := ParseBatch([]byte(tables))
	if err != nil || b.Len() != 3 || string(b.JSON()) != tables {
		t.Errorf("%v %s, %v", b, b.JSON(), err)
	}
	first := b.Where(func(i int) bool { return i < 2 })
	if got := string(first.JSON()); got != `{"t":{"Keys":[1,2],"ConsistentRead":true}}` {
		t.Errorf("the first two: %s", got)
	}
	answer, left := LeaveOut("BatchGetItem", []byte(`{"UnprocessedKeys":`+string(first.JSON())+`}`), b.Where(func(i int) bool { return i == 2 }))
	if string(answer) != `{"UnprocessedKeys":`+tables+`}` || left.Len() != 3 {
		t.Errorf("with more: %s", answer)
	}
	if b, err := ParseBatch([]byte(`{"t":7}`)); err == nil {
		t.Errorf("no batch is %v", b)
	}
}
