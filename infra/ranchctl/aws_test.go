package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

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

// inAWS sets the environment of an operator whose AWS is on this machine: an STS, and at the address the service whose
// endpoint the variable sets.
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

// newCloudTool returns ranchctl with a table in the AWS of inAWS. Its tests share the environment: they run in turn.
func newCloudTool(t *testing.T) (tool, *securityTokens) {
	t.Helper()
	x := toolIn(t, storetest.NewScene(t, game.InstantOf(fixed)), "Operators")
	tokens := inAWS(t, "AWS_ENDPOINT_URL_DYNAMODB", x.endpoint)
	x.endpoint = ""
	return x, tokens
}
