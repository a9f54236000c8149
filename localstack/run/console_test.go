package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestConsole(t *testing.T) {
	when := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
	shown := when.Local().Format("15:04:05.000")
	for name, c := range map[string]struct{ line, want string }{
		"request": {
			`{"time":"2026-11-20T09:30:00.123Z","level":"INFO","msg":"request","function":"EnterShow","route":"POST /events/shows/{id}/enter",` +
				`"status":201,"duration_ms":12.345,"request_id":"r-1","user":"u-1"}`,
			shown + " INF POST /events/shows/{id}/enter 201 12.345ms function=EnterShow request_id=r-1 user=u-1\n",
		},
		"request with what CloudWatch reads": {
			`{"time":"2026-11-20T09:30:00.123Z","level":"INFO","msg":"request","function":"enter-show","version":"7","route":"POST /x","status":409,` +
				`"code":"DUPLICATE","duration_ms":1,"lambda_request_id":"l-1","trace_id":"1-1-1","show":"s-1","cold_start":true,"ColdStarts":1,` +
				`"Refusals":1,"Attempts":2,"FunctionName":"EnterShow","FunctionVersion":"7","Code":"DUPLICATE","_aws":{"Timestamp":1}}`,
			shown + " INF POST /x 409 1ms Attempts=2 code=DUPLICATE cold_start=true function=EnterShow show=s-1\n",
		},
		"failed request": {
			`{"time":"2026-11-20T09:30:00.123Z","level":"ERROR","msg":"request","route":"GET /animals","status":500,"duration_ms":1,"error":"panic: x\nin y"}`,
			shown + ` ERR GET /animals 500 1ms error="panic: x\nin y" function=EnterShow` + "\n",
		},
		"another record": {
			`{"time":"2026-11-20T09:30:00.123Z","level":"WARN","msg":"logout","big":12345678901234567890}`,
			shown + " WRN logout big=12345678901234567890 function=EnterShow\n",
		},
	} {
		var out bytes.Buffer
		newConsole(&out, false).line("EnterShow", c.line)
		if out.String() != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, out.String(), c.want)
		}
	}
}

func TestConsole_showsWhatIsNoRecordAsItIs(t *testing.T) {
	for _, line := range []string{"panic: oh no", "", "{}", `{"msg":`, "[1]", "null"} {
		var out bytes.Buffer
		newConsole(&out, false).line("Login", line)
		if want := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3} WRN Login: ` + regexp.QuoteMeta(line) + "\n$"); !want.MatchString(out.String()) {
			t.Errorf("%q is shown as %q", line, out.String())
		}
	}
}

func TestConsole_colours(t *testing.T) {
	for _, coloured := range []bool{true, false} {
		var out bytes.Buffer
		newConsole(&out, coloured).line("Login", `{"level":"ERROR","msg":"x"}`)
		if got := strings.Contains(out.String(), "\x1b["); got != coloured {
			t.Errorf("coloured %t: %q", coloured, out.String())
		}
	}
}
