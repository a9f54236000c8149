package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// starts is how often each program is started; the median counts.
const starts = 41

// runtimeAPI notes when a program asks for its first invocation, which it never gets. It is the program's DynamoDB,
// too.
type runtimeAPI struct {
	server *http.Server
	addr   string
	asked  chan time.Time
}

func newRuntimeAPI() (*runtimeAPI, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &runtimeAPI{addr: listener.Addr().String(), asked: make(chan time.Time, 1)}
	r.server = &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost { // for the table's layout
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			_, _ = io.WriteString(w, "{}")
			return
		}
		r.asked <- time.Now()
		<-request.Context().Done()
	})}
	go r.server.Serve(listener) // until close
	return r, nil
}

func (r *runtimeAPI) close() { r.server.Close() }

// medians starts the programs in turn, so that whatever else the machine does falls on all of them alike.
func (r *runtimeAPI) medians(ctx context.Context, dir string, names []string) (map[string]time.Duration, error) {
	all := map[string][]time.Duration{}
	for range starts {
		for _, name := range names {
			took, err := r.start(ctx, filepath.Join(dir, name))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = append(all[name], took)
		}
	}
	medians := map[string]time.Duration{}
	for name, took := range all {
		slices.Sort(took)
		medians[name] = took[len(took)/2]
	}
	return medians, nil
}

func (r *runtimeAPI) start(ctx context.Context, program string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	cmd.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + r.addr, "AWS_REGION=" + running.Region, "AWS_ACCESS_KEY_ID=" + running.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + running.SecretAccessKey, "TABLE_NAME=measure", "SIGNING_KEYS_SECRET=local:development",
		"AWS_ENDPOINT_URL=http://" + r.addr,
	}
	begin := time.Now()
	child, err := process.Start(cmd)
	if err != nil {
		return 0, err
	}
	defer child.Stop(0)
	select {
	case at := <-r.asked:
		return at.Sub(begin), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
