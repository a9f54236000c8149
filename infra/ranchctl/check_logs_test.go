package main

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

const (
	anEntry = `{"time":"2026-11-20T09:30:01Z","msg":"request","function":"enter-show","status":201,"duration_ms":20,"request_id":"first",` +
		`"user":"00000100-0000-4000-8000-000000000000","show":"00009000-0000-4000-8000-000000000000","Entries":1,"GoldCharged":50}` + "\n"
	aJudging = `{"time":"2026-11-20T09:29:01Z","msg":"request","function":"judge-show","status":200,"duration_ms":20,"request_id":"second",` +
		`"user":"00000100-0000-4000-8000-000000000000","show":"00009000-0000-4000-8000-000000000000"}` + "\n"
)

func TestCheckLogs(t *testing.T) {
	x := newTool(t)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	entry, judging := file("entry", anEntry), file("judging", aJudging)
	for name, test := range map[string]struct {
		args   []string
		exit   int
		stdout []string
		stderr string
	}{
		"right":          {[]string{entry}, exitDone, []string{"1 calls from 2026-11-20T09:30:00.980Z to 2026-11-20T09:30:01.001Z", "enter-show  1"}, ""},
		"wrong":          {[]string{entry, judging}, exitFailed, []string{"second first", "the show had ended, by judge-show"}, "1 violations"},
		"wrong, as CSV":  {[]string{entry, judging, "-o", "csv"}, exitFailed, []string{"requests,violation\n\"second first\","}, "1 violations"},
		"with more skew": {[]string{entry, judging, "--skew", "2m"}, exitDone, []string{"judge-show  1"}, ""},
		"with the table": {[]string{entry, "--with-table"}, exitFailed, []string{"there is no such show"}, "1 of 1 shows compared\nranchctl: 1 violations"},
		"nothing":        {nil, exitDone, []string{"No call was read"}, ""},
		"no file":        {[]string{filepath.Join(folder, "nowhere")}, exitFailed, nil, "no such file"},
		"wrong skew":     {[]string{entry, "--skew", "-1s"}, exitUsage, nil, "--skew must be"},
		"no patience":    {[]string{entry, "--patience", "0s"}, exitUsage, nil, "--patience must be"},
		"no table":       {[]string{entry, judging, "--with-table", "--table", "none"}, exitFailed, []string{"the show had ended, by judge-show"}, "1 violations"},
		"wrong lateness": {[]string{entry, "--late", "-1s"}, exitUsage, nil, "--late must be"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, exit := x.run(append([]string{"check-logs"}, test.args...)...)
			if exit != test.exit || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit %d: %s%s", exit, stdout, stderr)
			}
			for _, want := range test.stdout {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not in %s", want, stdout)
				}
			}
		})
	}
	stdout, _, exit := x.run("check-logs", entry, judging, "-o", "json")
	var r logcheck.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || exit != exitFailed || r.Found != 1 || r.Charged != 50 || r.From != game.Instant(1795166940980) {
		t.Errorf("exit %d, %v: %s", exit, err, stdout)
	}
}

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
