package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// operatorARN is who operates where a test's AWS is asked.
const operatorARN = "arn:aws:sts::123456789012:assumed-role/Operators/ann"

// securityTokens is an STS that knows the operator, and counts how often it is asked.
type securityTokens struct{ asked atomic.Int32 }

func (s *securityTokens) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.asked.Add(1)
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
		<Arn>%s</Arn><UserId>AROA:ann</UserId><Account>123456789012</Account>
		</GetCallerIdentityResult><ResponseMetadata><RequestId>sts-1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`, operatorARN)
}

// inAWS makes the environment that of an operator whose AWS is on this machine: an STS, and the service of the variable
// at the address.
func inAWS(t *testing.T, variable, address string) *securityTokens {
	t.Helper()
	tokens := &securityTokens{}
	server := httptest.NewServer(tokens)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		variable: address, "AWS_ENDPOINT_URL_STS": server.URL, "AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "keyid", "AWS_SECRET_ACCESS_KEY": "key",
		"AWS_SESSION_TOKEN": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	return tokens
}

// cloudTool is ranchctl with a table in such an AWS. Its tests are not parallel, since the environment is everybody's.
type cloudTool struct {
	tool
	tokens *securityTokens
}

func newCloudTool(t *testing.T) cloudTool {
	t.Helper()
	o, err := operators()
	if err != nil {
		t.Fatal(err)
	}
	x := tool{storetest.NewScene(t, game.InstantOf(fixed)), t, "Operators"}
	return cloudTool{x, inAWS(t, "AWS_ENDPOINT_URL_DYNAMODB", o.url)}
}

// run returns what a command prints whose stdin is a terminal, at which the answer is typed; without one, there is no
// terminal.
func (x cloudTool) run(answer io.Reader, args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	var out, errs bytes.Buffer
	a := newApp(&out, &errs, func() time.Time { return fixed })
	if answer != nil {
		a.interactive, a.in = true, answer
	}
	exit = a.run(x.t.Context(), append([]string{"--table", x.Name}, args...))
	return out.String(), errs.String(), exit
}
