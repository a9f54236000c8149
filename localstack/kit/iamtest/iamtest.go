// Package iamtest checks that a package's tests need all rights of a role or a policy of our templates.
package iamtest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
)

// Main runs a package's tests as storetest.Main does. If all tests pass, but have not needed every right of the role on
// the table, Main exits with 1. It does not check this if a flag selects some tests. Call it from TestMain.
func Main(m *testing.M, role func() (*iam.Role, error)) {
	code := storetest.Run(m)
	if code == 0 && all() {
		r, err := role()
		if err == nil && len(r.Unneeded()) > 0 {
			err = fmt.Errorf("%s is allowed what no test has needed: %q", r.Name, r.Unneeded())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// all reports whether the command runs all tests, without a flag that selects some of them.
func all() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short()
}
