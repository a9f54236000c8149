package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/bench/measure/probe"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/store"
)

// emptyProgram is what all others are compared with.
const emptyProgram = "empty"

const tableName = "measure"

// stage is the functions under the local gateway, on a table of their own. Each has one process, so that what calls
// take is what that process takes.
type stage struct {
	store   *store.Store // on the same table
	sockets string       // the folder of the probes, where the programs have one
	dir     string       // of the programs

	transport client.Transport

	close func()
}

// newStage starts the programs' stage; the programs themselves start when they are first called.
func newStage(ctx context.Context, t *samtemplate.Template, dir string) (_ *stage, err error) {
	s := &stage{dir: dir, close: func() {}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.sockets, err = os.MkdirTemp("", "ranch-measure-"); err != nil {
		return nil, err
	}
	s.onClose(func() { os.RemoveAll(s.sockets) })
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return nil, err
	}
	s.onClose(e.Close)
	if err := engine.CreateTable(ctx, e.Client(), tableName); err != nil {
		return nil, err
	}
	s.store = store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), tableName, time.Now)
	g, err := gateway.New(s.config(t, e.Endpoint()))
	if err != nil {
		return nil, err
	}
	if err := g.Start(ctx); err != nil {
		return nil, err
	}
	s.onClose(func() { _ = g.Close(context.Background()) }) // nobody needs its listener any more
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := g.Server()
	go server.Serve(listener) // until close
	s.onClose(func() { server.Close() })
	s.transport.API = "http://" + listener.Addr().String()
	return s, nil
}

// onClose puts what ends before all that has been started before it.
func (s *stage) onClose(end func()) {
	before := s.close
	s.close = func() {
		end()
		before()
	}
}

// config is that of the template's functions and of the empty one.
func (s *stage) config(t *samtemplate.Template, endpoint string) gateway.Config {
	cfg := gateway.Config{
		Region: running.Region, MaxProcesses: 1,
		Credentials: gateway.Credentials{AccessKeyID: running.AccessKeyID, SecretAccessKey: running.SecretAccessKey},
		Log:         func(_, line string) { s.note(line) },
	}
	add := func(name, method, route string, memoryMB int) {
		cfg.Functions = append(cfg.Functions, gateway.FunctionConfig{
			LogicalID: name, Method: method, Path: route, Binary: filepath.Join(s.dir, name), MemoryMB: memoryMB, Timeout: time.Minute,
			Environment: map[string]string{
				"TABLE_NAME": tableName, "SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL": endpoint, probe.Socket: s.socket(name),
				"METRICS_NAMESPACE": "measure",
			},
		})
	}
	for _, f := range t.Endpoints() {
		add(path.Base(f.Folder), f.Method, f.Path, f.MemoryMB)
	}
	add(emptyProgram, http.MethodPost, "/empty/{id}", 256)
	return cfg
}

// note passes on what is not a request's line.
func (s *stage) note(line string) {
	if !strings.HasPrefix(line, "{") && !strings.Contains(line, "cannot set cpu profile rate") {
		fmt.Fprintln(os.Stderr, line)
	}
}

func (s *stage) socket(program string) string { return filepath.Join(s.sockets, program) }

// call is a request, and the status that its answer must have.
type call struct {
	client.Request
	status int
}

// do makes a call, once, and returns its answer.
func (s *stage) do(ctx context.Context, c call) (client.Answer, error) {
	answer, err := s.transport.Send(ctx, c.Request)
	if err == nil {
		err = answer.Read(c.status, nil)
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %d, want %d: %w", c.Method, c.Path, answer.Status, c.status, err)
	}
	return answer, err
}

// ask asks a program's probe.
func (s *stage) ask(ctx context.Context, program, path string) ([]byte, error) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.socket(program))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://probe"+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	return body, errors.Join(err, answer.Body.Close())
}
