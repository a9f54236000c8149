package game

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefusalsAreComparedByCodeAndMessage(t *testing.T) {
	wrapped := fmt.Errorf("entering: %w", InsufficientGold(5))
	switch {
	case !errors.Is(wrapped, InsufficientGold(5)):
		t.Error("equal refusals are told apart")
	case errors.Is(wrapped, InsufficientGold(6)), errors.Is(ErrShowClosed, ErrShowNotOpen):
		t.Error("refusals of another message are equal")
	case errors.Is(ErrInvalidCredentials, &Refusal{Code: CodeOAuthAccount, Message: ErrInvalidCredentials.Message}):
		t.Error("refusals of another code are equal")
	case errors.Is(errors.New("NOT_FOUND"), ErrShowUnknown), errors.Is(ErrShowUnknown, io.EOF):
		t.Error("a fault is a refusal")
	}
	got, want := ErrCalf.Error(), "INVALID: Calves cannot enter shows"
	assert.Equal(t, want, got)
	got, want = ErrUnauthorized.Error(), "UNAUTHORIZED"
	assert.Equal(t, want, got)
}
