package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

const (
	anEntry = `{"time":"2026-11-20T09:30:01Z","msg":"request","function":"enter-show","status":201,"duration_ms":20,"request_id":"first",` +
		`"user":"00000100-0000-4000-8000-000000000000","show":"00009000-0000-4000-8000-000000000000","Entries":1,"GoldCharged":50}` + "\n"
	aJudging = `{"time":"2026-11-20T09:29:01Z","msg":"request","function":"judge-show","status":200,"duration_ms":20,"request_id":"second",` +
		`"user":"00000100-0000-4000-8000-000000000000","show":"00009000-0000-4000-8000-000000000000"}` + "\n"
)

// A table that is damaged does not keep the report back, nor does somebody who does not wait for its end.
func TestCheckLogsOfADamagedTable(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.MustJudge(t, x.Ann, x.Show)
	x.At("SHOW#"+string(x.Show.ID)+"#R", "RESULT").Delete(t)
	about := func(line string) string {
		return strings.ReplaceAll(line, "00009000-0000-4000-8000-000000000000", string(x.Show.ID))
	}
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte(about(anEntry+aJudging)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check-logs", file, "--with-table", "--patience", "200ms"}
	stdout, stderr, exit := x.run(args...)
	for _, want := range []string{"2 calls from", "the show had ended, by judge-show", "cannot be read: show " + string(x.Show.ID) + ": not read as a whole within 200ms"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in %s", want, stdout)
		}
	}
	if exit != exitFailed || !strings.Contains(stderr, "was not compared with all of the table: cannot be read: ") || !strings.Contains(stderr, "show "+string(x.Show.ID)) {
		t.Errorf("exit %d: %s", exit, stderr)
	}

	// It is interrupted when it reads the results for the second time, and would do so for an hour.
	ctx, interrupt := context.WithCancel(t.Context())
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int32
	forward := loopback.Forward(engine)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") && reads.Add(1) == 2 {
			interrupt()
		}
		forward.ServeHTTP(w, r)
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	args = []string{"--endpoint", server.URL, "--table", x.Name, "check-logs", file, "--with-table", "--patience", "1h"}
	exit = newApp(&out, &errs, func() time.Time { return fixed }).run(ctx, args)
	if exit != exitFailed || !strings.Contains(out.String(), "the show had ended, by judge-show") || !strings.HasSuffix(errs.String(), "while reading show "+string(x.Show.ID)+": interrupted\n") {
		t.Errorf("exit %d: %s%s", exit, &out, &errs)
	}
}

// Who has begun to read from a terminal at which nobody types can end it.
func TestInterruptedReadingOfALog(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	a := newApp(&out, &errs, time.Now)
	terminal, typed := io.Pipe()
	defer typed.Close()
	a.in = readerFunc(func(b []byte) (int, error) {
		interrupt()
		return terminal.Read(b)
	})
	if exit := a.run(ctx, []string{"check-logs"}); exit != exitFailed || !strings.HasSuffix(errs.String(), ": interrupted\n") || out.Len() > 0 {
		t.Errorf("exit %d: %s%s", exit, &out, &errs)
	}
}
