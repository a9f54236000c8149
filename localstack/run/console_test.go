package main

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestConsole(t *testing.T) {
	when := time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
	line := func(level, rest string) string {
		return fmt.Sprintf(`{"time":"2026-11-20T09:30:00.123Z","level":%q,%s}`, level, rest)
	}
	for given, want := range map[string]string{
		line("INFO", `"msg":"request","function":"enter-show","version":"7","route":"POST /x","status":409,"code":"DUPLICATE","duration_ms":1.5,`+
			`"lambda_request_id":"l-1","trace_id":"1-1-1","show":"s-1","cold_start":true,"ColdStarts":1,"Refusals":1,"Attempts":2,`+
			`"FunctionName":"EnterShow","FunctionVersion":"7","Code":"DUPLICATE","_aws":{"Timestamp":1}}`): "INF POST /x 409 1.5ms Attempts=2 code=DUPLICATE cold_start=true function=EnterShow show=s-1\n",
		line("ERROR", `"msg":"request","route":"GET /animals","status":500,"duration_ms":1,"error":"panic: x\nin y"`): `ERR GET /animals 500 1ms error="panic: x\nin y" function=EnterShow` + "\n",
		line("WARN", `"msg":"logout","big":12345678901234567890`):                                                     "WRN logout big=12345678901234567890 function=EnterShow\n",
	} {
		var out bytes.Buffer
		newConsole(&out, false).line("EnterShow", given)
		want = when.Local().Format("15:04:05.000") + " " + want
		assert.Equal(t, want, out.String(), "got  %q\nwant %q", out.String(), want)
	}
	for _, line := range []string{"panic: oh no", "", "{}", `{"msg":`, "[1]", "null"} { // not log records
		var out bytes.Buffer
		newConsole(&out, false).line("Login", line)
		assert.True(t, regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3} WRN Login: `+regexp.QuoteMeta(line)+"\n$").MatchString(out.String()),
			"%q is shown as %q", line, out.String())
	}
	var out bytes.Buffer
	newConsole(&out, true).line("Login", `{"level":"ERROR","msg":"x"}`)
	assert.Contains(t, out.String(), "\x1b[", "coloured: %q", out.String())
}
