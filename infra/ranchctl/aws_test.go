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

// operatorARN is the operator's identity in a test's AWS.
const operatorARN = "arn:aws:sts::123456789012:assumed-role/Operators/ann"

// securityTokens is an STS that knows the operator, and counts its requests.
type securityTokens struct{ asked atomic.Int32 }

func (s *securityTokens) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.asked.Add(1)
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
		<Arn>%s</Arn><UserId>AROA:ann</UserId><Account>123456789012</Account>
		</GetCallerIdentityResult><ResponseMetadata><RequestId>sts-1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`, operatorARN)
}

// inAWS sets the environment of an operator whose AWS is on this machine: an STS, and the variable's service at the
// address.
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

// cloudTool is ranchctl with a table in such an AWS. Its tests are not parallel, since all tests share the environment.
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

// run returns the output of a command whose stdin is a terminal with this answer. If answer is nil, there is no
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
