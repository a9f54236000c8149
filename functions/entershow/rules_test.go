package main

import (
	"testing"
)

// The header is not part of the API: neither does one key twice repeat the first answer, nor does it make two requests
// one.
func TestIdempotencyKeyMeansNothing(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Request.Header = map[string]string{"idempotency-key": "the same key"}
	c.Do(t, c.Request).Want(t, 201, entered)
	c.Do(t, c.Request).Want(t, 409, duplicate)
	c.Request.Body = animal(c.Ann.Animals[1].ID)
	c.Do(t, c.Request).WantStatus(t, 201)
	c.CheckGold(t, c.Ann.ID, 400, 500, -50, -50)
	c.Invariants(t)
}
