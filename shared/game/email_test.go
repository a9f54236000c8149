package game

import (
	"strings"
	"testing"
)

func TestValidEmail(t *testing.T) {
	longest := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	longLabel := "a@" + strings.Repeat("b", 254-len("a@.com")) + ".com"
	for _, valid := range []string{
		"a@b.co", "Ann.Lee+ranch@Mail.Example.COM", "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.3.org", "a@b-c.example",
		"09azAZ@09azAZ.az", "a@example.xn--a", "a@xn--bcher-kva.example", "a@example.xn--p1ai", "a@example.XN--P1AI", longest, longLabel,
	} {
		if !ValidEmail(valid) {
			t.Errorf("%q is refused", valid)
		}
	}
	for name, invalid := range map[string]string{
		"empty":                  "",
		"no at":                  "example.com",
		"two ats":                "a@b@example.com",
		"no local part":          "@example.com",
		"no domain":              "a@",
		"no dot":                 "a@localhost",
		"leading dot":            ".a@example.com",
		"trailing dot":           "a.@example.com",
		"double dot":             "a..b@example.com",
		"domain leading dot":     "a@.example.com",
		"domain trailing dot":    "a@example.com.",
		"domain double dot":      "a@example..com",
		"leading hyphen":         "a@-b.com",
		"trailing hyphen":        "a@b-.com",
		"underscore in domain":   "a@b_c.com",
		"one letter at the end":  "a@example.c",
		"digits at the end":      "a@example.c0m",
		"many digits at the end": "a@example.c0mmm",
		"IPv4":                   "a@127.0.0.1",
		"address literal":        "a@[127.0.0.1]",
		"bare punycode prefix":   "a@example.xn--",
		"leading space":          " a@example.com",
		"trailing space":         "a@example.com ",
		"line break":             "a@example.com\n",
		"inner space":            "a b@example.com",
		"display name":           "Ann <a@example.com>",
		"angle brackets":         "<a@example.com>",
		"quoted local part":      `"a"@example.com`,
		"comment":                "a(x)@example.com",
		"list":                   "a@example.com,b@example.com",
		"unicode local part":     "ä@example.com",
		"unicode domain":         "a@bücher.example",
		"unicode end":            "a@example.рф",
		"Kelvin sign":            "a@example.\u212Ao",
		"NUL":                    "a\x00@example.com",
		"invalid UTF-8":          "\xff@example.com",
		"255 bytes":              "a" + longest,
		"255 bytes, long domain": "a" + longLabel,
	} {
		if ValidEmail(invalid) {
			t.Errorf("%s: %q is accepted", name, invalid)
		}
	}
}

func TestNormalizeEmail(t *testing.T) {
	if got, want := NormalizeEmail("Ann.Lee+Ranch@Example.COM"), "ann.lee+ranch@example.com"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
