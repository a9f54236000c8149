package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestParseConfig(t *testing.T) {
	for name, c := range map[string]struct {
		variables map[string]string
		want      config
	}{
		"nothing": {nil, config{port: 3000, playPort: 3001, dbPort: 8000, seed: true, engine: engine.Embedded, processes: 10}},
		"everything": {
			map[string]string{
				"PORT": "1", "PLAY_PORT": "2", "DB_PORT": "65535", "DATA_DIR": "data", "SEED": "none", "ENGINE": "dynamodb-local", "LIMITS": "write=100,hold=20ms", "PROCESSES": "200",
				"THROTTLE": "1", "ARCH": "arm64", "JUDGE_DUE": "1", "LOG_FILE": "log",
			},
			config{
				port: 1, playPort: 2, dbPort: 65535, dataDir: "data", engine: engine.DynamoDBLocal,
				limits: &capacity.Options{PartitionWrite: 100, Hold: 20 * time.Millisecond}, processes: 200, throttle: true, arch: "arm64", judgeDue: time.Minute, logFile: "log",
			},
		},
		"localstack": {
			map[string]string{"PORT": "8000", "PLAY_PORT": "none", "SEED": "demo", "ENGINE": "localstack", "JUDGE_DUE": "5s"},
			config{port: 8000, seed: true, engine: engine.LocalStack, processes: 10, judgeDue: 5 * time.Second},
		},
		"localstack with what it ignores": {
			map[string]string{"DB_PORT": "eighty", "DATA_DIR": "data", "ENGINE": "localstack"},
			config{
				port: 3000, playPort: 3001, seed: true, engine: engine.LocalStack, processes: 10,
				ignored: "Ignored, since LocalStack has its own address and keeps its own data: DB_PORT=eighty, DATA_DIR=data",
			},
		},
	} {
		if got, err := parseConfig(environment(c.variables)); !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestParseConfig_refusals(t *testing.T) {
	for _, c := range []struct {
		variables map[string]string
		want      string
	}{
		{map[string]string{"PORT": "0"}, "PORT=0 is no port"},
		{map[string]string{"PORT": "65536"}, "PORT=65536 is no port"},
		{map[string]string{"DB_PORT": "eighty"}, "DB_PORT=eighty is no port"},
		{map[string]string{"PLAY_PORT": "0"}, "PLAY_PORT=0 is no port from 1 to 65535; none serves no page"},
		{map[string]string{"PLAY_PORT": "off"}, "PLAY_PORT=off is no port"},
		{map[string]string{"PORT": "8000"}, "PORT and DB_PORT are both 8000"},
		{map[string]string{"PORT": "3001"}, "PORT and PLAY_PORT are both 3001"},
		{map[string]string{"DB_PORT": "3001"}, "PLAY_PORT and DB_PORT are both 3001"},
		{map[string]string{"PLAY_PORT": "3000", "ENGINE": "localstack"}, "PORT and PLAY_PORT are both 3000"},
		{map[string]string{"SEED": "yes"}, "SEED=yes is neither"},
		{map[string]string{"LIMITS": "fast"}, `LIMITS=fast: limits: "fast": it is not known; allowed are fresh`},
		{map[string]string{"THROTTLE": "yes"}, "THROTTLE=yes is neither 0 nor 1"},
		{map[string]string{"JUDGE_DUE": "2"}, "JUDGE_DUE=2 is neither 0 nor 1, nor a time such as 5s"},
		{map[string]string{"JUDGE_DUE": "-1s"}, "JUDGE_DUE=-1s is neither"},
		{map[string]string{"PROCESSES": "0"}, "PROCESSES=0 is no number from 1 to 1000"},
		{map[string]string{"PROCESSES": "many"}, "PROCESSES=many is no number"},
		{map[string]string{"ARCH": "x86_64"}, "ARCH=x86_64 is not arm64"},
		{map[string]string{"ENGINE": "dynamo"}, "ENGINE=dynamo is none of"},
	} {
		if _, err := parseConfig(environment(c.variables)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: the error is %v, without %q", c.variables, err, c.want)
		}
	}
}

// TestParseConfig_withoutPage: what serves no page does not mind where one would be.
func TestParseConfig_withoutPage(t *testing.T) {
	for _, value := range []string{"", "3000", "off"} {
		cfg, err := parseConfig(withoutPage(environment(map[string]string{"PLAY_PORT": value, "PORT": "3001"})))
		if err != nil || cfg.playPort != 0 || cfg.port != 3001 {
			t.Errorf("PLAY_PORT=%s: %+v, %v", value, cfg, err)
		}
	}
}

func TestNotes(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config config
		want   []string
	}{
		"in memory":     {config{}, []string{"The data is gone when this ends: `DATA_DIR=data make run` keeps it in the folder data"}},
		"in a folder":   {config{dataDir: "data"}, []string{"The data is kept in " + filepath.Join(here, "data")}},
		"in LocalStack": {config{engine: engine.LocalStack}, []string{"The data stays in LocalStack when this ends"}},
		"with limits":   {config{engine: engine.LocalStack, limits: &capacity.Options{}}, []string{"The data stays in LocalStack when this ends", "The functions meet a table with limits; what that came to is told at the end"}},
		"judging":       {config{dataDir: "/data", judgeDue: time.Minute}, []string{"The data is kept in /data", "Shows whose closing time is over are judged, every 1m0s"}},
		"on arm64":      {config{dataDir: "/data", arch: "arm64"}, []string{"The data is kept in /data", "The functions are compiled for arm64: so `make functions` wants GOARCH=arm64, too"}},
		"ignored":       {config{engine: engine.LocalStack, ignored: "Ignored"}, []string{"The data stays in LocalStack when this ends", "Ignored"}},
	} {
		if got := c.config.notes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
	got := config{engine: engine.DynamoDBLocal, dataDir: "/data"}.notes()
	if len(got) != 2 || got[0] != "The data is kept in /data" || !strings.Contains(got[1], "all addresses") {
		t.Errorf("DynamoDB Local: %q", got)
	}
}

func TestCheckPorts(t *testing.T) {
	taken, free := listen(t), freePort(t)
	for name, c := range map[string]struct {
		config config
		want   string
	}{
		"PLAY_PORT": {config{port: free, playPort: taken, dbPort: free}, fmt.Sprintf("port %d is in use: end what listens there, or choose another with PLAY_PORT=", taken)},
		"no page":   {config{port: free, dbPort: free}, ""},
		"PORT":      {config{port: taken, dbPort: free}, fmt.Sprintf("port %d is in use: end what listens there, or choose another with PORT=", taken)},
		"DB_PORT":   {config{port: free, dbPort: taken}, fmt.Sprintf("port %d is in use: end what listens there, or choose another with DB_PORT=", taken)},
	} {
		err := c.config.checkPorts()
		if got := fmt.Sprint(err); got != c.want && !(err == nil && c.want == "") {
			t.Errorf("%s: %v, not %q", name, err, c.want)
		}
	}
}

// listen takes a port until the test ends.
func listen(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
