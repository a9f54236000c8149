package game

import (
	"strings"
	"testing"
)

func TestValidEmail(t *testing.T) {
	longest := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	longLabel := "a@" + strings.Repeat("b", 254-len("a@.com")) + ".com"
	for valid, addresses := range map[bool][]string{
		true: {
			"a@b.co", "Ann.Lee+ranch@Mail.Example.COM", "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.3.org", "a@b-c.example",
			"09azAZ@09azAZ.az", "a@example.xn--a", "a@xn--bcher-kva.example", "a@example.xn--p1ai", "a@example.XN--P1AI", longest, longLabel,
		},
		false: {
			"", "example.com", "a@b@example.com", "@example.com", "a@", "a@localhost",
			".a@example.com", "a.@example.com", "a..b@example.com", "a@.example.com", "a@example.com.", "a@example..com", "a@-b.com", "a@b-.com",
			"a@b_c.com", "a@example.c", "a@example.c0m", "a@example.c0mmm", "a@127.0.0.1", "a@[127.0.0.1]", "a@example.xn--", "a@example.xn--a-",
			" a@example.com", "a@example.com ", "a@example.com\n", "a b@example.com", "Ann <a@example.com>", "<a@example.com>", `"a"@example.com`,
			"a(x)@example.com", "a@example.com,b@example.com", "ä@example.com", "a@bücher.example", "a@example.рф",
			"a@example.\u212Ao", // the Kelvin sign, whose lower case is k
			"a\x00@example.com", "\xff@example.com", "a" + longest, "a" + longLabel,
		},
	} {
		for _, s := range addresses {
			if ValidEmail(s) != valid {
				t.Errorf("%q: %t", s, !valid)
			}
		}
	}
}
