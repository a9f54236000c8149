package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

func TestParseConfig(t *testing.T) {
	parse := func(variables string) (config, error) {
		for _, v := range strings.Fields("HOST= PORT= PLAY_PORT= DB_PORT= DATA_DIR= SEED= ENGINE= THROTTLE= FRONT= JUDGE_DUE= " + variables) {
			name, value, _ := strings.Cut(v, "=")
			t.Setenv(name, value)
		}
		return parseConfig()
	}
	for variables, want := range map[string]config{
		"": {port: 3000, playPort: 3001, dbPort: 8000, dataDir: ".data", seed: true, engine: engine.Embedded, judgeDue: time.Minute},
		"PORT=1 PLAY_PORT=2 DB_PORT=65535 DATA_DIR=data SEED=none ENGINE=dynamodb-local THROTTLE=1 JUDGE_DUE=1m": {
			port: 1, playPort: 2, dbPort: 65535, dataDir: "data", engine: engine.DynamoDBLocal,
			throttle: true, judgeDue: time.Minute,
		},
		"PORT=8000 PLAY_PORT=none SEED=demo ENGINE=localstack JUDGE_DUE=5s THROTTLE=0": {
			port: 8000, seed: true, engine: engine.LocalStack, judgeDue: 5 * time.Second,
		},
		"FRONT=1 DATA_DIR=none": {
			port: 3000, playPort: 3001, dbPort: 8000, seed: true, engine: engine.Embedded, judgeDue: time.Minute, throttle: true, front: true,
		},
		"HOST=0.0.0.0,mac.local PLAY_PORT=none DATA_DIR=none ENGINE=localstack JUDGE_DUE=0": {
			hosts: loopback.Hosts{Addresses: true, Names: []string{"mac.local"}}, port: 3000, seed: true, engine: engine.LocalStack,
		},
		"DB_PORT=eighty DATA_DIR=data ENGINE=localstack JUDGE_DUE=0": {port: 3000, playPort: 3001, seed: true, engine: engine.LocalStack},
	} {
		got, err := parse(variables)
		assert.True(t, reflect.DeepEqual(got, want) && err == nil, "%s: %+v, %v; want %+v", variables, got, err, want)
	}
	for variables, want := range map[string]string{
		"HOST=192.168.0.1":    `HOST=192.168.0.1: "192.168.0.1" must be 0.0.0.0, which opens all networks, or a name without a port`,
		"HOST=mac.local:3000": `HOST=mac.local:3000: "mac.local:3000" must be`,
		"HOST=mac.local,":     `HOST=mac.local,: "" must be`,
		"PORT=0":              "PORT=0 must be a whole number of at least 1",
		"PORT=65536":          "PORT=65536: a port is at most 65535",
		"DB_PORT=eighty":      "DB_PORT=eighty must be a whole number",
		"PLAY_PORT=off":       "PLAY_PORT=off must be a whole number",
		"SEED=yes":            "SEED=yes: it must be demo or none",
		"THROTTLE=yes":        "THROTTLE=yes: it must be 0 or 1",
		"FRONT=yes":           "FRONT=yes: it must be 0 or 1",
		"JUDGE_DUE=2":         "JUDGE_DUE=2: it must be 0 or a duration such as 5s",
		"JUDGE_DUE=-1s":       "JUDGE_DUE=-1s: it must be",
		"ENGINE=dynamo":       "ENGINE=dynamo must be embedded, dynamodb-local or localstack",
		"PORT=x DB_PORT=":     "PORT=x must be a whole number of at least 1",
	} {
		_, err := parse(variables)
		assert.True(t, err != nil && strings.HasPrefix(err.Error(), want), "%s: the error is %v, without %q", variables, err, want)
	}
}

// TestOpen checks that without HOST only this machine can reach the servers, and that the line says what is open.
func TestOpen(t *testing.T) {
	all := config{hosts: loopback.Hosts{Addresses: true}, port: 1, playPort: 2}
	named := config{hosts: loopback.Hosts{Names: []string{"x.example"}}, port: 1}
	assert.Equal(t, []string{"127.0.0.1", "127.0.0.1", "0.0.0.0"}, []string{config{}.address(), named.address(), all.address()})
	assert.Equal(t, "", config{}.open())
	assert.Equal(t, "Open:     to a tunnel from x.example: the API (port 1), and nothing else", named.open())
	assert.Contains(t, all.open(), ": the game (port 2) and the API (port 1), and nothing else")
}
