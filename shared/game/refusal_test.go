package game

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// The codes and texts of docs/rules.md, S7.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		refusal       *Refusal
		code, message string
	}{
		{ErrInvalidInput, "VALIDATION_ERROR", "Invalid input"},
		{ErrInvalidEntryBody, "VALIDATION_ERROR", ""},
		{ErrMissingToken, "MISSING_TOKEN", "Refresh token required"},
		{ErrPregnant, "INVALID", "Pregnant animals cannot enter shows"},
		{ErrCalf, "INVALID", "Calves cannot enter shows"},
		{InsufficientGold(125), "INSUFFICIENT_GOLD", "Not enough gold: the entry fee is 125"},
		{ErrAlreadyClaimed, "ALREADY_CLAIMED", ""},
		{ErrInvalidCredentials, "INVALID_CREDENTIALS", "Invalid email or password"},
		{ErrOAuthAccount, "OAUTH_ACCOUNT", "Please use OAuth to login"},
		{ErrRefreshTokenDead, "INVALID_TOKEN", "Refresh token invalid or expired"},
		{ErrRefreshTokenBad, "INVALID_TOKEN", "Invalid refresh token"},
		{ErrUnauthorized, "UNAUTHORIZED", ""},
		{ErrBanned, "BANNED", "This account has been banned."},
		{ErrShowUnknown, "NOT_FOUND", ""},
		{ErrShowClosed, "NOT_FOUND", "Show not found or entry closed"},
		{ErrShowNotOpen, "NOT_FOUND", "Show not open"},
		{ErrNothingToClaim, "NOT_FOUND", ""},
		{ErrAnimalUnknown, "NOT_FOUND", "Animal not found"},
		{ErrTaken, "CONFLICT", "Email or username already taken"},
		{ErrDuplicateEntry, "DUPLICATE", "Animal already entered"},
	} {
		if string(test.refusal.Code) != test.code || test.refusal.Message != test.message || test.refusal.Details != nil {
			t.Errorf("got %+v, want %s %q", *test.refusal, test.code, test.message)
		}
	}
}

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
	if got, want := ErrCalf.Error(), "INVALID: Calves cannot enter shows"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ErrUnauthorized.Error(), "UNAUTHORIZED"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
