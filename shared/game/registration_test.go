package game

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func validRegistration() Registration {
	return Registration{Email: "Ann@Example.com", Username: "ann_Lee-1", Password: " secret ", RanchName: " The Ranch "}
}

// fields of a registration by their names in the API.
func fields(r *Registration) map[string]*string {
	return map[string]*string{"email": &r.Email, "username": &r.Username, "password": &r.Password, "ranchName": &r.RanchName}
}

// FuzzRegistration holds each bound; these are the sentences.
func TestRegistrationBounds(t *testing.T) {
	const (
		emailShape     = "E-mail must be an address such as name@example.com of at most 254 characters."
		usernameLength = "Username must have 3 to 24 characters."
		usernameShape  = "Username may have only letters, digits, underscores and hyphens."
		passwordLength = "Password must have 8 to 128 characters."
		ranchLength    = "Ranch name must have 3 to 100 characters."
	)
	tests := []struct {
		field, value string
		want         []string // nil: valid
	}{
		{"email", "a@b.co", nil},
		{"email", "nobody", []string{emailShape}},
		{"username", strings.Repeat("a", 24), nil},
		{"username", "ab", []string{usernameLength}},
		{"username", "äöü", []string{usernameShape}},
		{"username", "é!", []string{usernameLength, usernameShape}},
		{"password", strings.Repeat(" ", 8), nil},
		{"password", strings.Repeat("p", 7), []string{passwordLength}},
		{"ranchName", "   ", nil},
		{"ranchName", strings.Repeat("r", 101), []string{ranchLength}},
	}
	for _, test := range tests {
		r := validRegistration()
		*fields(&r)[test.field] = test.value
		want := map[string][]string{}
		if test.want != nil {
			want[test.field] = test.want
		}
		if diff := cmp.Diff(want, r.Problems()); diff != "" {
			t.Errorf("%s %q:\n%s", test.field, test.value, diff)
		}
	}
}
