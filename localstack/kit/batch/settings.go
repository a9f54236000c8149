package batch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Settings reads variables of the environment, each once. It remembers which were given, and what is wrong with them.
// A variable that is empty is not given.
type Settings struct {
	getenv func(string) string
	given  []string // as NAME=value
	wrong  []error
}

// NewSettings returns the settings of an environment, such as os.Getenv.
func NewSettings(getenv func(string) string) *Settings { return &Settings{getenv: getenv} }

// Text returns a variable's text, or the standard one.
func (s *Settings) Text(name, standard string) string {
	text := s.getenv(name)
	if text != "" {
		s.Went(name, text)
	}
	return cmp.Or(text, standard)
}

// Number returns a whole number that is not below the least.
func (s *Settings) Number(name string, standard, least int) int {
	n, err := strconv.Atoi(s.Text(name, strconv.Itoa(standard)))
	if err != nil || n < least {
		s.wrong = append(s.wrong, fmt.Errorf("%s=%s is no number from %d", name, s.getenv(name), least))
	}
	return n
}

// Decimal returns a number that may have decimals, from the least to the most where it is given.
func (s *Settings) Decimal(name string, standard, least, most float64) float64 {
	text := s.Text(name, "")
	if text == "" {
		return standard
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) {
		s.wrong = append(s.wrong, fmt.Errorf("%s=%s is no number from %v to %v", name, text, least, most))
	}
	return x
}

// Pattern returns a regular expression; one that everything matches where none is given.
func (s *Settings) Pattern(name string) *regexp.Regexp {
	pattern, err := regexp.Compile(s.Text(name, ""))
	if err != nil {
		s.Wrong(name, err)
	}
	return pattern
}

// Figures returns the path of the file that the figures go into, FIGURES; "" for none. Its folder must be there, which
// is known before the run rather than after it. It is no part of what is run.
func (s *Settings) Figures() string {
	path := s.getenv("FIGURES")
	if path != "" {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			s.Wrong("FIGURES", err)
		}
	}
	return path
}

// Went notes by what a run goes that nobody has given, such as a seed that it has drawn.
func (s *Settings) Went(name, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	s.given = append(s.given, name+"="+value)
}

// plain are the characters that no shell takes for anything else.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%"

// Wrong notes what is wrong with a variable.
func (s *Settings) Wrong(name string, what error) {
	s.wrong = append(s.wrong, fmt.Errorf("%s=%s: %w", name, s.getenv(name), what))
}

// Err returns all that is wrong; nil where nothing is.
func (s *Settings) Err() error { return errors.Join(s.wrong...) }

// Command returns the command that does the same again: the target of make with what was given.
func (s *Settings) Command(target string) string {
	return strings.Join(append([]string{"make", target}, s.given...), " ")
}

// Given returns those of the variables that were given, as a command has them: each behind a space.
func (s *Settings) Given(names ...string) (text string) {
	for _, setting := range s.given {
		if name, _, _ := strings.Cut(setting, "="); slices.Contains(names, name) {
			text += " " + setting
		}
	}
	return text
}
