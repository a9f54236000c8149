package boot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// variables is an environment: values by their names.
type variables map[string]string

func (v variables) environment() environment { return func(name string) string { return v[name] } }

// maxAge is the KEYS_MAX_AGE of awsVariables. It is not the default.
const maxAge = 100 * time.Second

func awsVariables() variables {
	return variables{
		"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "key-id", "AWS_SECRET_ACCESS_KEY": "key",
		"AWS_SESSION_TOKEN": "session", "KEYS_MAX_AGE": maxAge.String(),
	}
}

// checkSignature reports a request that is not signed with awsVariables.
func checkSignature(t *testing.T, r *http.Request, service string) {
	t.Helper()
	authorization := r.Header.Get("Authorization")
	assert.True(t, strings.Contains(authorization, "Credential=key-id/") && strings.Contains(authorization, "/eu-west-1/"+service+"/"),
		"authorization %s", authorization)
	session := r.Header.Get("X-Amz-Security-Token")
	assert.Equal(t, "session", session, "session token %q", session)
}

// The store uses the endpoint, the table, the region and the credentials of the environment. Its retries are those of
// table.ClientOptions: the SDK's own would end after three attempts.
func TestStore(t *testing.T) {
	for _, variable := range []string{"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"} {
		t.Run(variable, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				checkSignature(t, r, "dynamodb")
				var request struct{ TableName string }
				err := json.NewDecoder(r.Body).Decode(&request)
				assert.True(t, err == nil && request.TableName == "the-table", "asked for table %q, %v", request.TableName, err)
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				if asked < 5 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				_, _ = io.WriteString(w, "{}")
			}))
			t.Cleanup(server.Close)
			env := awsVariables()
			env["TABLE_NAME"], env["AWS_ENDPOINT_URL_DYNAMODB"], env["AWS_ENDPOINT_URL"] = "the-table", "", ""
			env[variable] = server.URL
			for name, value := range env {
				t.Setenv(name, value)
			}
			account, err := Store().Account(t.Context(), game.NewID())
			assert.True(t, account == nil && err == nil && asked == 6, "got %v, %v; asked %d times", account, err, asked)
		})
	}
}

func TestStoreAndKeysNeedTheirVariables(t *testing.T) {
	for own, start := range map[string]func(variables) error{
		"TABLE_NAME":          func(env variables) error { _, err := env.environment().store(); return err },
		"SIGNING_KEYS_SECRET": func(env variables) error { _, err := env.ring(t); return err },
	} {
		for _, missing := range []string{own, "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
			env := awsVariables()
			env[own] = "arn:its-own"
			delete(env, missing)
			err := start(env)
			assert.True(t, err != nil && strings.Contains(err.Error(), missing), "without %s: %v", missing, err)
		}
	}
}

// If the environment sets no endpoint for a service, the client uses the service's usual URL.
func TestSettings(t *testing.T) {
	env := awsVariables()
	env["AWS_ENDPOINT_URL_DYNAMODB"] = "http://dynamodb.test"
	for service, want := range map[string]*string{"DYNAMODB": new("http://dynamodb.test"), "SECRETS_MANAGER": nil} {
		s, err := env.environment().settings(service)
		diff := cmp.Diff(want, s.endpoint)
		assert.True(t, err == nil && s.region == "eu-west-1" && diff == "", "%s: %s, %v\n%s", service, s.region, err, diff)
	}
}

// If the table has another layout, the first event ends the process, unless the API is closed. If the table fails or
// refuses the read, the process does not end.
func TestStoreGoesByTheLayout(t *testing.T) {
	if os.Getenv("BOOT_TEST_LAYOUT") != "" {
		Store()
		return
	}
	for name, c := range map[string]struct {
		status              int
		answer, doors, want string
	}{
		"none":            {200, `{}`, "", ""},
		"ours":            {200, layout(records.Layout), "", ""},
		"another":         {200, layout(records.Layout + 1), "open", "the function cannot start: the table has another layout than this program knows: it has layout " + strconv.Itoa(records.Layout+1) + ", and this program needs "},
		"another, closed": {200, layout(records.Layout + 1), "closed", ""},
		"not allowed":     {400, `{"__type":"com.amazon.coral.service#AccessDeniedException"}`, "", "cannot read the table's layout number yet, and will try again"},
		"out of order":    {500, `{}`, "", "cannot read the table's layout number yet, and will try again"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.answer)
		}))
		t.Cleanup(server.Close)
		env := awsVariables()
		env["TABLE_NAME"], env["AWS_ENDPOINT_URL_DYNAMODB"], env["BOOT_TEST_LAYOUT"] = "the-table", server.URL, name
		answers := make(chan events.APIGatewayV2HTTPResponse, 1)
		env["AWS_LAMBDA_RUNTIME_API"] = newRuntime(t, fmt.Sprintf(`{"version":"2.0","stageVariables":{"doors":%q}}`, c.doors), answers)
		ctx, answered := context.WithCancelCause(t.Context())
		go func() {
			select {
			case a := <-answers:
				answered(fmt.Errorf("%d %s", a.StatusCode, a.Body))
			case <-ctx.Done():
			}
		}()
		_, stderr, err := env.process(ctx, t)
		if c.doors == "closed" {
			cause := context.Cause(ctx)
			assert.True(t, cause != nil && strings.HasPrefix(cause.Error(), `503 {"error":"CLOSED"`),
				"closed doors: %v, answered %v", err, cause)
			err = nil
		}
		assert.True(t, (err == nil) != strings.HasPrefix(c.want, "the function cannot start") && strings.HasPrefix(stderr, c.want) && strings.Count(stderr, "\n") <= 1,
			"%s: %v, %q", name, err, stderr)
	}
}

// process runs the test in a new process with only these variables, until the process or the context ends.
func (v variables) process(ctx context.Context, t *testing.T) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = []string{"GOCOVERDIR=" + t.TempDir()} // without it, a run for coverage prints a warning
	for name, value := range v {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	err = cmd.Run()
	return out.String(), errors.String(), err
}

// layout returns the table's answer about its layout.
func layout(n int) string {
	return fmt.Sprintf(`{"Item":{"PK":{"S":"LAYOUT"},"SK":{"S":"LAYOUT"},"ln":{"N":"%d"}}}`, n)
}

// Each attempt to read the layout of a silent table lasts a second. The pauses double from a second to a minute.
func TestLayoutOfASilentTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := dynamodb.New(dynamodb.Options{Region: "eu-west-1", Credentials: aws.AnonymousCredentials{}}, table.ClientOptions)
		var asked []time.Duration
		start := time.Now()
		client.Options().HTTPClient.(*table.Line).Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if asked = append(asked, time.Since(start)); len(asked) < 10 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return answer("{}"), nil
		})
		assert.NoError(t, learnLayout(store.New(client, "table", time.Now)))
		took := time.Since(start)
		assert.Equal(t, time.Second, took, "the start took %v", took)
		time.Sleep(time.Hour)
		synctest.Wait()
		for i, seconds := range []int{0, 2, 5, 10, 19, 36, 69, 130, 191, 252} { // each but the last for a second
			require.True(t, i < len(asked) && asked[i] == time.Duration(seconds)*time.Second, "asked after %v", asked)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(body string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
}

// A missing variable ends the process with exit code 1 and one line. The test runs itself in such a process.
func TestStartFailsLoudly(t *testing.T) {
	starts := map[string]func(){"TABLE_NAME": func() { Store() }, "SIGNING_KEYS_SECRET": func() { SigningKeys(nil) }}
	if start, ok := starts[os.Getenv("BOOT_TEST_START")]; ok {
		start()
		return
	}
	for missing := range starts {
		_, stderr, err := variables{"BOOT_TEST_START": missing}.process(t.Context(), t)
		exit, ended := errors.AsType[*exec.ExitError](err)
		want := "the function cannot start: the environment variable " + missing + " is not set, and this function needs it: set it in template.yaml\n"
		assert.True(t, ended && exit.ExitCode() == 1 && stderr == want, "%v: got %q, want %q", err, stderr, want)
	}
}
