package httpapi

import "testing"

// TestQuery states what the reading of a query is; FuzzQuery compares it with another reading, of queries whose escapes
// are not broken.
func TestQuery(t *testing.T) {
	for _, test := range []struct {
		query, value string
		present      bool
	}{
		{"tier=pro", "", false},
		{"status", "", true},
		{"status=", "", true},
		{"status=completed&status=open", "completed", true},
		{"status&status=open", "", true},
		{"STATUS=open", "", false},
		{"st%61tus=a+b%20c%2Bd", "a b c+d", true},
		{"status=a;status=b", "a;status=b", true},
		{"x;status=open", "", false},
		{"status=%", "%", true},
		{"status=%zz+1", "%zz+1", true},
		{"status=open%4", "open%4", true},
		{"%zz=1&status=open", "open", true},
		{"status=%ff", "%ff", true},
	} {
		if value, present := Query(test.query).Get("status"); value != test.value || present != test.present {
			t.Errorf("?%s: got %q, %t, want %q, %t", test.query, value, present, test.value, test.present)
		}
	}
}
