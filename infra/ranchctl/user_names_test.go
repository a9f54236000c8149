package main

import (
	"testing"

	"github.com/ranch-game/ranch/shared/password"
)

// The shown password is the user's. A repetition under --change says that it was shown before.
func TestTheNewPasswordIsTheUsers(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	var shown newPassword
	x.json(&shown, "user", "reset-password", x.Ann.Email)
	if ok, err := password.Verify(x.HashOf(t, x.Ann.Email), *shown.Password); !ok || err != nil {
		t.Errorf("%+v: %t, %v", shown, ok, err)
	}
	change := ""
	for _, r := range x.audit() {
		if r.Action == "reset password" {
			change = string(r.ID)
		}
	}
	x.Unchanged(t, func() {
		if x.json(&shown, "user", "reset-password", x.Ann.Email, "--change", change); shown.Password != nil {
			t.Errorf("shown again: %s", *shown.Password)
		}
	})
}
