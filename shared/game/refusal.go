package game

import "errors"

// Code is the stable name of a refusal. The API sends it in the field "error". Package httpapi has its HTTP status.
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

// Refusal is the error of a request that the rules do not allow. Package httpapi sends it to the client as it is. Any
// other error, except ErrBusy, is a fault, whose text no client gets. errors.Is compares code and message.
type Refusal struct {
	Code    Code
	Message string              // "" if the rule has none
	Details map[string][]string // sentences by field name, only if a registration, a change of one's account or a query is invalid
}

func (r *Refusal) Error() string {
	if r.Message == "" {
		return string(r.Code)
	}
	return string(r.Code) + ": " + r.Message
}

// Is reports whether target is a Refusal with the same code and message. Details do not matter.
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
	ErrWrongPassword      = &Refusal{Code: CodeInvalidCredentials, Message: "Invalid password"}
	ErrOAuthAccount       = &Refusal{Code: CodeOAuthAccount, Message: "Please use OAuth to login"}
	ErrBanned             = &Refusal{Code: CodeBanned, Message: "This account has been banned."}
	ErrTaken              = &Refusal{Code: CodeConflict, Message: "Email or username already taken"}
	ErrRefreshTokenDead   = &Refusal{Code: CodeInvalidToken, Message: "Refresh token invalid or expired"}
	ErrRefreshTokenBad    = &Refusal{Code: CodeInvalidToken, Message: "Invalid refresh token"}
	ErrUnauthorized       = &Refusal{Code: CodeUnauthorized}
	ErrShowUnknown        = &Refusal{Code: CodeNotFound}
	ErrSeasonUnknown      = &Refusal{Code: CodeNotFound}
	ErrShowClosed         = &Refusal{Code: CodeNotFound, Message: "Show not found or entry closed"}
	ErrShowNotOpen        = &Refusal{Code: CodeNotFound, Message: "Show not open"}
	ErrNothingToClaim     = &Refusal{Code: CodeNotFound}
	ErrAnimalUnknown      = &Refusal{Code: CodeNotFound, Message: "Animal not found"}
	ErrPregnant           = &Refusal{Code: CodeInvalid, Message: "Pregnant animals cannot enter shows"}
	ErrCalf               = &Refusal{Code: CodeInvalid, Message: "Calves cannot enter shows"}
	ErrDuplicateEntry     = &Refusal{Code: CodeDuplicate, Message: "Animal already entered"}
	ErrAlreadyClaimed     = &Refusal{Code: CodeAlreadyClaimed}
)

// InvalidInput returns a refusal like ErrInvalidInput, with details: sentences by the wrong field or parameter.
func InvalidInput(problems map[string][]string) *Refusal {
	return &Refusal{Code: ErrInvalidInput.Code, Message: ErrInvalidInput.Message, Details: problems}
}

// ErrBusy means that the table throttled a read for a second, because it gets more reads than it can serve. ErrBusy is
// not a refusal: the service has decided nothing, and the same request may succeed seconds later.
var ErrBusy = errors.New("the table throttles this read: repeat it in some seconds")
