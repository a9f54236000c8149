package httpapi

import (
	"testing"
)

func TestQuery(t *testing.T) {
	for _, test := range []struct {
		query, value string
		present      bool
	}{
		{"", "", false},
		{"tier=pro", "", false},
		{"status", "", true},
		{"status=", "", true},
		{"status=open", "open", true},
		{"tier=pro&status=open", "open", true},
		{"status=completed&status=open", "completed", true},
		{"status&status=open", "", true},
		{"&&status=open&", "open", true},
		{"STATUS=open", "", false},
		{"status=a+b%20c%2Bd", "a b c+d", true},
		{"st%61tus=open", "open", true},
		{"status=a=b", "a=b", true},
		{"status=a;status=b", "a;status=b", true},
		{"x;status=open", "", false},
		{"status=%", "%", true},
		{"status=%zz+1", "%zz+1", true},
		{"status=open%4", "open%4", true},
		{"%zz=1&status=open", "open", true},
		{"status=%ff", "%ff", true},
		{"status=%00", "\x00", true},
		{"status=%E2%82%AC", "€", true},
		{"=open", "", false},
	} {
		if value, present := Query(test.query).Get("status"); value != test.value || present != test.present {
			t.Errorf("?%s: got %q, %t, want %q, %t", test.query, value, present, test.value, test.present)
		}
	}
}
