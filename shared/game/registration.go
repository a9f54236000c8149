package game

import (
	"fmt"
	"maps"
	"regexp"
	"unicode/utf8"
)

// Registration is the form of a registration, as it was sent.
type Registration struct {
	Email     string
	Username  string
	Password  string
	RanchName string
}

// The fields of a registration and of changes of one's account, as the API calls them.
const (
	FieldEmail           = "email"
	FieldUsername        = "username"
	FieldPassword        = "password"
	FieldRanchName       = "ranchName"
	FieldCurrentPassword = "currentPassword"
	FieldNewPassword     = "newPassword"
)

// Problems returns sentences about each wrong field, by the field's name (docs/rules.md, S8). If all are right, the map
// is empty.
func (r Registration) Problems() map[string][]string {
	return wrongOf(map[string][]string{
		FieldEmail:     checkEmail(r.Email),
		FieldUsername:  checkUsername(r.Username),
		FieldPassword:  checkPassword("Password", r.Password),
		FieldRanchName: checkLength("Ranch name", r.RanchName, 3, 100),
	})
}

// PasswordChange is the form of a change of one's password, as it was sent.
type PasswordChange struct{ Current, New string }

// Problems is like that of a registration. Any current password has the right form.
func (c PasswordChange) Problems() map[string][]string {
	return wrongOf(map[string][]string{FieldNewPassword: checkPassword("New password", c.New)})
}

// EmailChange is the form of a change of one's e-mail address, as it was sent.
type EmailChange struct{ Email, Password string }

// Problems is like that of a registration. Any password has the right form.
func (c EmailChange) Problems() map[string][]string {
	return wrongOf(map[string][]string{FieldEmail: checkEmail(c.Email)})
}

// wrongOf removes the fields without sentences.
func wrongOf(fields map[string][]string) map[string][]string {
	maps.DeleteFunc(fields, func(_ string, sentences []string) bool { return len(sentences) == 0 })
	return fields
}

func checkPassword(what, s string) []string { return checkLength(what, s, 8, 128) }

func checkEmail(s string) []string {
	if !ValidEmail(s) {
		return []string{"E-mail must be an address such as name@example.com of at most 254 characters."}
	}
	return nil
}

// ValidUsername reports whether a player could register with the username.
func ValidUsername(s string) bool { return len(checkUsername(s)) == 0 }

func checkUsername(s string) []string {
	problems := checkLength("Username", s, 3, 24)
	if !usernameCharacters.MatchString(s) {
		problems = append(problems, "Username may have only letters, digits, underscores and hyphens.")
	}
	return problems
}

var usernameCharacters = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

// checkLength counts code points.
func checkLength(what, s string, least, most int) []string {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		return []string{fmt.Sprintf("%s must have %d to %d characters.", what, least, most)}
	}
	return nil
}
