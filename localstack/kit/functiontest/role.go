package functiontest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/iamtest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Main runs a function's tests as iamtest.Main does, with the function's role in template.yaml. Call it from TestMain.
func Main(m *testing.M) {
	iamtest.Main(m, func() (*iam.Role, error) {
		this, err := this()
		return this.role, err
	})
}

// tested is the function whose folder the tests are in.
type tested struct {
	function samtemplate.Function
	role     *iam.Role
}

var this = sync.OnceValues(func() (tested, error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return tested{}, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return tested{}, err
	}
	for _, f := range template.Functions {
		if filepath.Join(template.Root, filepath.FromSlash(f.Folder)) == folder {
			return tested{f, iam.NewRole(f.LogicalID, f.Statements)}, nil
		}
	}
	return tested{}, fmt.Errorf("%s has no function in %s", samtemplate.FileName, folder)
})
