package game

import (
	"strings"
	"unicode/utf8"
)

// FieldState says what a request body held where a text was expected.
type FieldState int

// The states of a field.
const (
	FieldMissing FieldState = iota // absent or null
	FieldNotText                   // a number, boolean, array or object
	FieldText                      // a string, perhaps an empty one
)

// Registration is a valid request to register: its e-mail is lower-case, the rest is as it was sent.
type Registration struct {
	Email     string
	Username  string
	Password  string
	RanchName string
}

// ParseRegistration reads and validates the four fields of a registration through text, which returns a field of the request body by its name. The
// error is ErrInvalidInput with Details: for each field that is wrong, and for no other, the sentences that say why.
func ParseRegistration(text func(name string) (string, FieldState)) (Registration, error) {
	details := map[string][]string{}
	read := func(name, label string, check func(string) []string) string {
		value, state := text(name)
		var problems []string
		switch state {
		case FieldMissing:
			problems = []string{label + " is required."}
		case FieldNotText:
			problems = []string{label + " must be a string."}
		case FieldText:
			problems = check(value)
		}
		if len(problems) > 0 {
			details[name] = problems
		}
		return value
	}
	r := Registration{
		Email:     NormalizeEmail(read("email", "E-mail", checkEmail)),
		Username:  read("username", "Username", checkUsername),
		Password:  read("password", "Password", checkPassword),
		RanchName: read("ranchName", "Ranch name", checkRanchName),
	}
	if len(details) > 0 {
		return Registration{}, &Refusal{Code: ErrInvalidInput.Code, Message: ErrInvalidInput.Message, Details: details}
	}
	return r, nil
}

func checkEmail(s string) []string {
	if !ValidEmail(s) {
		return []string{"E-mail must be an address such as name@example.com of at most 254 characters."}
	}
	return nil
}

func checkUsername(s string) []string {
	var problems []string
	if n := utf8.RuneCountInString(s); n < 3 || n > 24 {
		problems = append(problems, "Username must have 3 to 24 characters.")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !isAlphanumeric(r) && r != '_' && r != '-' }) {
		problems = append(problems, "Username may have only letters, digits, underscores and hyphens.")
	}
	return problems
}

func checkPassword(s string) []string {
	if n := utf8.RuneCountInString(s); n < 8 || n > 128 {
		return []string{"Password must have 8 to 128 characters."}
	}
	return nil
}

func checkRanchName(s string) []string {
	if n := utf8.RuneCountInString(s); n < 3 || n > 100 {
		return []string{"Ranch name must have 3 to 100 characters."}
	}
	return nil
}
