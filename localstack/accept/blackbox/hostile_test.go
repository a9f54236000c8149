package blackbox

import (
	"fmt"
	"strings"
	"testing"
)

// Texts that mean something elsewhere are texts like any other: they come back as they were sent, and a password is
// good as it was sent.
func TestHostile_storedTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"'; DROP TABLE ranch; --", "${jndi:ldap://example.com/x}", "{{constructor}}", "<script>alert(1)</script>", "nul \x00 inside", "line\nbreak\ttab\r", "\u202eright to left",
		"e\u0301 is not é", "\u2028\u2029\ufeff", "null", "%s%n%x%00", "\\u0041 \\\" \\", "USER#" + newID(), strings.Repeat("\u0000", 100), "👩‍👩‍👧‍👦 👍🏽 \U0010ffff",
	} {
		hostile.Add(1)
		p := candidate()
		p.ranch, p.password = text, text+" and enough of it"
		register(t, p.form()).object(t, 201)
		if ranch := p.account(t)["ranch"].(object); ranch["name"] != text {
			t.Errorf("%q came back as %q", text, ranch["name"])
		}
	}
	// Half of a character is no text, but no reason to fail either.
	for _, half := range []string{`"\ud800 a ranch"`, `"a ranch \udfff"`, `"\udc00\ud800 ranch"`} {
		hostile.Add(1)
		p := candidate()
		p.ranch, p.password = "the ranch", "the password"
		body := strings.NewReplacer(`"the ranch"`, half, `"the password"`, half).Replace(string(encode(p.form())))
		if answer := register(t, body); answer.status == 201 {
			credentials := fmt.Sprintf(`{"email":%q,"password":%s}`, p.email, half)
			login(t, credentials).object(t, 200)
		} else {
			answer.object(t, 400)
		}
	}
}
