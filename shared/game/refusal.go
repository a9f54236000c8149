package game

import "errors"

// Code is the stable name of a refusal, the "error" field of the API. Each code has one HTTP status, which package
// httpapi knows.
type Code string

// The codes (docs/rules.md, S7).
const (
	CodeValidation         Code = "VALIDATION_ERROR"
	CodeMissingToken       Code = "MISSING_TOKEN"
	CodeInvalid            Code = "INVALID"
	CodeInsufficientGold   Code = "INSUFFICIENT_GOLD"
	CodeAlreadyClaimed     Code = "ALREADY_CLAIMED"
	CodeInvalidCredentials Code = "INVALID_CREDENTIALS"
	CodeOAuthAccount       Code = "OAUTH_ACCOUNT"
	CodeInvalidToken       Code = "INVALID_TOKEN"
	CodeUnauthorized       Code = "UNAUTHORIZED"
	CodeBanned             Code = "BANNED"
	CodeNotFound           Code = "NOT_FOUND"
	CodeConflict           Code = "CONFLICT"
	CodeDuplicate          Code = "DUPLICATE"
)

// Refusal is a refusal by the rules. Clients may see it as it is. errors.Is compares the code and the message. Package
// httpapi sends it to the client. Every error that is not a Refusal is a fault, and becomes the endpoint's own 500.
type Refusal struct {
	Code    Code
	Message string              // "" if the rule has none
	Details map[string][]string // field name to sentences; only for validation errors of a registration or a query
}

func (r *Refusal) Error() string {
	if r.Message == "" {
		return string(r.Code)
	}
	return string(r.Code) + ": " + r.Message
}

// Is reports whether target is a Refusal of the same code and message.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code && t.Message == r.Message
}

// The refusals whose text is fixed.
var (
	ErrInvalidInput       = &Refusal{Code: CodeValidation, Message: "Invalid input"}
	ErrInvalidEntryBody   = &Refusal{Code: CodeValidation}
	ErrMissingToken       = &Refusal{Code: CodeMissingToken, Message: "Refresh token required"}
	ErrInvalidCredentials = &Refusal{Code: CodeInvalidCredentials, Message: "Invalid email or password"}
	ErrOAuthAccount       = &Refusal{Code: CodeOAuthAccount, Message: "Please use OAuth to login"}
	ErrBanned             = &Refusal{Code: CodeBanned, Message: "This account has been banned."}
	ErrTaken              = &Refusal{Code: CodeConflict, Message: "Email or username already taken"}
	ErrRefreshTokenDead   = &Refusal{Code: CodeInvalidToken, Message: "Refresh token invalid or expired"}
	ErrRefreshTokenBad    = &Refusal{Code: CodeInvalidToken, Message: "Invalid refresh token"}
	ErrUnauthorized       = &Refusal{Code: CodeUnauthorized}
	ErrShowUnknown        = &Refusal{Code: CodeNotFound}
	ErrShowClosed         = &Refusal{Code: CodeNotFound, Message: "Show not found or entry closed"}
	ErrShowNotOpen        = &Refusal{Code: CodeNotFound, Message: "Show not open"}
	ErrNothingToClaim     = &Refusal{Code: CodeNotFound}
	ErrAnimalUnknown      = &Refusal{Code: CodeNotFound, Message: "Animal not found"}
	ErrPregnant           = &Refusal{Code: CodeInvalid, Message: "Pregnant animals cannot enter shows"}
	ErrCalf               = &Refusal{Code: CodeInvalid, Message: "Calves cannot enter shows"}
	ErrDuplicateEntry     = &Refusal{Code: CodeDuplicate, Message: "Animal already entered"}
	ErrAlreadyClaimed     = &Refusal{Code: CodeAlreadyClaimed}
)

// InvalidInput is ErrInvalidInput with the sentences that say what is wrong with each field or parameter.
func InvalidInput(problems map[string][]string) *Refusal {
	return &Refusal{Code: ErrInvalidInput.Code, Message: ErrInvalidInput.Message, Details: problems}
}

// ErrBusy is not a refusal: the table has more reads than it can serve, and did not serve this one. Nothing has been
// decided. The same request may succeed seconds later.
var ErrBusy = errors.New("the table serves others first")
