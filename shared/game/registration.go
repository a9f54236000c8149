package game

import (
	"strings"
	"unicode/utf8"
)

// Registration is what somebody who registers has filled in, as it was sent.
type Registration struct {
	Email     string
	Username  string
	Password  string
	RanchName string
}

// A registration's fields, as the API calls them.
const (
	FieldEmail     = "email"
	FieldUsername  = "username"
	FieldPassword  = "password"
	FieldRanchName = "ranchName"
)

// Problems returns the sentences that say what is wrong with each field, by its name (docs/rules.md, S4.1.6 to S4.1.9);
// none for a registration that is valid.
func (r Registration) Problems() map[string][]string {
	problems := map[string][]string{}
	for field, sentences := range map[string][]string{
		FieldEmail:     checkEmail(r.Email),
		FieldUsername:  checkUsername(r.Username),
		FieldPassword:  checkPassword(r.Password),
		FieldRanchName: checkRanchName(r.RanchName),
	} {
		if len(sentences) > 0 {
			problems[field] = sentences
		}
	}
	return problems
}

func checkEmail(s string) []string {
	if !ValidEmail(s) {
		return []string{"E-mail must be an address such as name@example.com of at most 254 characters."}
	}
	return nil
}

// ValidUsername reports whether somebody could have the username.
func ValidUsername(s string) bool { return len(checkUsername(s)) == 0 }

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
