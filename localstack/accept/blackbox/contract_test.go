package blackbox

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/ranch-game/ranch/localstack/accept/contract"
)

// contracted holds every exchange of the suite to docs/openapi.yaml.
var contracted struct {
	*contract.Contract
	sync.Mutex
	exchanges int
	broken    []error
}

// maxBroken is how many violations are told: one mistake often makes many.
const maxBroken = 20

// held checks an exchange and returns its reply. A violation fails the suite in its end, whatever the test makes of the
// reply.
func held(r reply) reply {
	if !speaksOf(r) {
		return r
	}
	header := maps.Clone(r.request.header)
	if r.token != "" {
		header = http.Header{"Authorization": {"Bearer " + r.token}}
		maps.Copy(header, r.request.header)
	}
	x := contract.Exchange{Method: r.method, Path: r.path, RequestHeader: header, Status: r.status, Header: r.header, Body: r.body}
	if r.request.body != nil {
		x.RequestBody = encode(r.request.body)
	}
	problems := contracted.Check(x)
	contracted.Lock()
	defer contracted.Unlock()
	contracted.exchanges++
	for _, problem := range problems {
		contracted.broken = append(contracted.broken, fmt.Errorf("%s: %s", r, problem))
	}
	return r
}

// speaksOf says whether the contract has anything to say of an exchange. It has not
//   - where no answer came;
//   - of routes that it does not have: unknown paths, and other methods than GET and POST, such as those that browsers
//     ask with before they send a request;
//   - where HTTP itself was in the way: headers that are too large reach no API (431), and what stands before a
//     deployed stack may refuse what it does not like (400, without a code).
func speaksOf(r reply) bool {
	if r.err != nil || r.status == http.StatusRequestHeaderFieldsTooLarge {
		return false
	}
	if suite.own == nil && r.status == http.StatusBadRequest && !bytes.Contains(r.body, []byte(`"error"`)) {
		return false
	}
	_, known := contracted.Operation(r.method, r.path)
	return known
}

// contractHeld returns the violations that there have been.
func contractHeld() error {
	contracted.Lock()
	defer contracted.Unlock()
	fmt.Printf("exchanges held to the contract: %d\n", contracted.exchanges)
	if len(contracted.broken) == 0 {
		return nil
	}
	return fmt.Errorf("%d violations of %s:\n%w", len(contracted.broken), contract.FileName, errors.Join(contracted.broken[:min(maxBroken, len(contracted.broken))]...))
}
