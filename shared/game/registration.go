package game

import (
	"fmt"
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

// A registration's fields, as the API calls them.
const (
	FieldEmail     = "email"
	FieldUsername  = "username"
	FieldPassword  = "password"
	FieldRanchName = "ranchName"
)

// Problems returns sentences about each wrong field, by the field's name (docs/rules.md, S8). If all are right, the map
// is empty.
func (r Registration) Problems() map[string][]string {
	problems := map[string][]string{}
	for field, sentences := range map[string][]string{
		FieldEmail:     checkEmail(r.Email),
		FieldUsername:  checkUsername(r.Username),
		FieldPassword:  checkLength("Password", r.Password, 8, 128),
		FieldRanchName: checkLength("Ranch name", r.RanchName, 3, 100),
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
