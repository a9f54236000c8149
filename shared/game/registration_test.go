package game

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// form is a request body: a string is a text, nil is missing, anything else is no text.
type form map[string]any

func (f form) text(name string) (string, FieldState) {
	switch v := f[name].(type) {
	case string:
		return v, FieldText
	case nil:
		return "", FieldMissing
	default:
		return "", FieldNotText
	}
}

func validForm() form {
	return form{"email": "Ann@Example.com", "username": "ann_Lee-1", "password": " secret ", "ranchName": " The Ranch "}
}

func TestParseRegistrationTakesFieldsAsTheyAre(t *testing.T) {
	got, err := ParseRegistration(validForm().text)
	if err != nil {
		t.Fatal(err)
	}
	want := Registration{Email: "ann@example.com", Username: "ann_Lee-1", Password: " secret ", RanchName: " The Ranch "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRegistrationBounds(t *testing.T) {
	const (
		emailShape     = "E-mail must be an address such as name@example.com of at most 254 characters."
		usernameLength = "Username must have 3 to 24 characters."
		usernameShape  = "Username may have only letters, digits, underscores and hyphens."
		passwordLength = "Password must have 8 to 128 characters."
		ranchLength    = "Ranch name must have 3 to 100 characters."
	)
	// Three and four bytes a character: lengths count code points.
	euro, horse := "€", "🐎"
	tests := []struct {
		field string
		value any
		want  []string // nil: valid
	}{
		{"email", "a@b.co", nil},
		{"email", "nobody", []string{emailShape}},
		{"email", "", []string{emailShape}},
		{"email", " a@b.co", []string{emailShape}},
		{"email", nil, []string{"E-mail is required."}},
		{"email", 7, []string{"E-mail must be a string."}},
		{"username", "abc", nil},
		{"username", strings.Repeat("a", 24), nil},
		{"username", "ab", []string{usernameLength}},
		{"username", strings.Repeat("a", 25), []string{usernameLength}},
		{"username", "", []string{usernameLength}},
		{"username", "a.b.c", []string{usernameShape}},
		{"username", " abc", []string{usernameShape}},
		{"username", "äöü", []string{usernameShape}},
		{"username", "é!", []string{usernameLength, usernameShape}},
		{"username", nil, []string{"Username is required."}},
		{"username", true, []string{"Username must be a string."}},
		{"password", strings.Repeat("p", 8), nil},
		{"password", strings.Repeat(euro, 8), nil},
		{"password", strings.Repeat(horse, 128), nil},
		{"password", strings.Repeat(" ", 8), nil},
		{"password", strings.Repeat("p", 7), []string{passwordLength}},
		{"password", strings.Repeat(horse, 7), []string{passwordLength}},
		{"password", strings.Repeat("p", 129), []string{passwordLength}},
		{"password", nil, []string{"Password is required."}},
		{"password", []any{}, []string{"Password must be a string."}},
		{"ranchName", strings.Repeat("r", 3), nil},
		{"ranchName", strings.Repeat(horse, 100), nil},
		{"ranchName", "   ", nil},
		{"ranchName", strings.Repeat(euro, 2), []string{ranchLength}},
		{"ranchName", strings.Repeat("r", 101), []string{ranchLength}},
		{"ranchName", nil, []string{"Ranch name is required."}},
		{"ranchName", map[string]any{}, []string{"Ranch name must be a string."}},
	}
	for _, test := range tests {
		f := validForm()
		f[test.field] = test.value
		want := map[string][]string(nil)
		if test.want != nil {
			want = map[string][]string{test.field: test.want}
		}
		if diff := cmp.Diff(want, detailsOf(t, f)); diff != "" {
			t.Errorf("%s %q:\n%s", test.field, test.value, diff)
		}
	}
}

func TestParseRegistrationOfNothingNamesAllFields(t *testing.T) {
	want := map[string][]string{
		"email": {"E-mail is required."}, "username": {"Username is required."},
		"password": {"Password is required."}, "ranchName": {"Ranch name is required."},
	}
	if diff := cmp.Diff(want, detailsOf(t, form(nil))); diff != "" {
		t.Error(diff)
	}
}

// Details name exactly the fields that are wrong, in every combination.
func TestParseRegistrationDetailsNameTheWrongFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, wrong := validForm(), map[string]bool{}
		for name := range validForm() {
			if rapid.Bool().Draw(t, name+" wrong") {
				f[name] = rapid.SampledFrom([]any{nil, 1.5, "", strings.Repeat("x", 300)}).Draw(t, name)
				wrong[name] = true
			}
		}
		named := map[string]bool{}
		for name, sentences := range detailsOf(t, f) {
			named[name] = true
			if len(sentences) == 0 {
				t.Fatalf("%s has no sentence", name)
			}
		}
		if diff := cmp.Diff(wrong, named); diff != "" {
			t.Fatal(diff)
		}
	})
}

// detailsOf returns what the refusal of the form says; nil for a form that is valid.
func detailsOf(t interface {
	Helper()
	Fatalf(string, ...any)
}, f form) map[string][]string {
	t.Helper()
	registration, err := ParseRegistration(f.text)
	if err == nil {
		return nil
	}
	var refusal *Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, ErrInvalidInput) || registration != (Registration{}) {
		t.Fatalf("got %+v and %v, want nothing and ErrInvalidInput", registration, err)
	}
	return refusal.Details
}
