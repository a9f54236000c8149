package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// starts is the number of times that each program is started.
const starts = 41

// medianStarts returns, for each program, the median time from its start to its first request for an invocation. It
// starts the programs in turn, so that other work on the machine affects all of them alike.
func medianStarts(ctx context.Context, t *samtemplate.Template, programs string) (map[string]time.Duration, error) {
	asked := make(chan time.Time, 1)
	lambda := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost { // a program reads the table's layout number from DynamoDB
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			_, _ = io.WriteString(w, "{}")
			return
		}
		asked <- time.Now()
		<-request.Context().Done()
	}))
	defer lambda.Close()
	environment := []string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(lambda.URL, "http://"), "AWS_ENDPOINT_URL=" + lambda.URL,
		"AWS_REGION=" + running.Region, "AWS_ACCESS_KEY_ID=" + running.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + running.SecretAccessKey, "TABLE_NAME=measure", "SIGNING_KEYS_SECRET=local:development",
	}
	all, medians := map[string][]time.Duration{}, map[string]time.Duration{}
	for range starts {
		for _, f := range t.Endpoints() {
			name := path.Base(f.Folder)
			cmd := exec.Command(filepath.Join(programs, name))
			cmd.Stderr, cmd.Env = os.Stderr, environment
			begin := time.Now()
			child, err := process.Start(cmd)
			if err != nil {
				return nil, err
			}
			select {
			case at := <-asked:
				all[name] = append(all[name], at.Sub(begin))
			case <-child.Done():
				err = fmt.Errorf("%s ended at its start", name)
			case <-ctx.Done():
				err = ctx.Err()
			}
			if child.Stop(0); err != nil {
				return nil, err
			}
		}
	}
	for name, took := range all {
		slices.Sort(took)
		medians[name] = took[len(took)/2]
	}
	return medians, nil
}
