package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// config is what the environment variables say.
type config struct {
	port      int               // PORT: where the API is served, 3000
	playPort  int               // PLAY_PORT: where the game's page is served, 3001; 0 (none) serves no page
	dbPort    int               // DB_PORT: where the database is served to tools, 8000; 0 for LocalStack
	dataDir   string            // DATA_DIR: where the engine keeps its data; "" keeps it in memory, or in LocalStack
	seed      bool              // SEED: demo (or nothing) fills an empty table, none leaves it empty
	engine    engine.Kind       // ENGINE: embedded (or nothing), dynamodb-local or localstack
	limits    *capacity.Options // LIMITS: the table's, for the functions (capacity.Parse); nil: none
	processes int               // PROCESSES: how many processes a function may have, 10
	judgeDue  time.Duration     // JUDGE_DUE: how often shows that are due are judged; 0: never
	throttle  bool              // THROTTLE: 1 makes the gateway hold routes to the template's limits
	logFile   string            // LOG_FILE: the file to which the functions' lines are added; "": none
	arch      string            // ARCH: arm64 runs the functions as they are deployed; "": this machine's
	ignored   string            // what is set and says nothing to this engine, in a sentence; "" if there is none
}

const (
	defaultProcesses = 10
	maxProcesses     = 1000 // what AWS gives an account at first, for all of its functions
)

func parseConfig(getenv func(string) string) (config, error) {
	c := config{processes: defaultProcesses}
	var err error
	if c.engine, err = engine.ParseKind(getenv("ENGINE")); err != nil {
		return config{}, err
	}
	if c.port, err = parsePort("PORT", getenv("PORT"), 3000); err != nil {
		return config{}, err
	}
	if s := getenv("PLAY_PORT"); s != "none" {
		if c.playPort, err = parsePort("PLAY_PORT", s, 3001); err != nil {
			return config{}, fmt.Errorf("%w; none serves no page", err)
		}
	}
	switch s := getenv("SEED"); s {
	case "", "demo":
		c.seed = true
	case "none":
	default:
		return config{}, fmt.Errorf("SEED=%s is neither demo nor none", s)
	}
	if s := getenv("LIMITS"); s != "" {
		options, err := capacity.Parse(s)
		if err != nil {
			return config{}, fmt.Errorf("LIMITS=%s: %w", s, err)
		}
		c.limits = &options
	}
	switch s := getenv("THROTTLE"); s {
	case "", "0":
	case "1":
		c.throttle = true
	default:
		return config{}, fmt.Errorf("THROTTLE=%s is neither 0 nor 1", s)
	}
	if c.judgeDue, err = parseJudgeDue(getenv("JUDGE_DUE")); err != nil {
		return config{}, err
	}
	if s := getenv("PROCESSES"); s != "" {
		if c.processes, err = strconv.Atoi(s); err != nil || c.processes < 1 || c.processes > maxProcesses {
			return config{}, fmt.Errorf("PROCESSES=%s is no number from 1 to %d", s, maxProcesses)
		}
	}
	c.logFile = getenv("LOG_FILE")
	if c.arch = getenv("ARCH"); c.arch != "" && c.arch != "arm64" {
		return config{}, fmt.Errorf("ARCH=%s is not arm64, which the functions are deployed for; without it they are this machine's", c.arch)
	}
	if c.engine == engine.LocalStack {
		c.ignored = ignoredByLocalStack(getenv)
		return c, c.distinctPorts()
	}
	if c.dbPort, err = parsePort("DB_PORT", getenv("DB_PORT"), 8000); err != nil {
		return config{}, err
	}
	c.dataDir = getenv("DATA_DIR")
	return c, c.distinctPorts()
}

// withoutPage is the environment of what serves no page.
func withoutPage(getenv func(string) string) func(string) string {
	return func(name string) string {
		if name == "PLAY_PORT" {
			return "none"
		}
		return getenv(name)
	}
}

// variable is a variable that says where something listens; its port is 0 where nothing does.
type variable struct {
	name string
	port int
}

func (c config) ports() []variable {
	return []variable{{"PORT", c.port}, {"PLAY_PORT", c.playPort}, {"DB_PORT", c.dbPort}}
}

func (c config) distinctPorts() error {
	has := map[int]string{}
	for _, v := range c.ports() {
		if other := has[v.port]; v.port != 0 && other != "" {
			return fmt.Errorf("%s and %s are both %d: choose another for one of them", other, v.name, v.port)
		}
		has[v.port] = v.name
	}
	return nil
}

// parseJudgeDue reads JUDGE_DUE: 1 is every minute, as it is deployed, and a time such as 5s is for who will not wait.
func parseJudgeDue(value string) (time.Duration, error) {
	switch value {
	case "", "0":
		return 0, nil
	case "1":
		return time.Minute, nil
	}
	every, err := time.ParseDuration(value)
	if err != nil || every <= 0 {
		return 0, fmt.Errorf("JUDGE_DUE=%s is neither 0 nor 1, nor a time such as 5s", value)
	}
	return every, nil
}

func parsePort(name, value string, standard int) (int, error) {
	if value == "" {
		return standard, nil
	}
	port, err := strconv.Atoi(value)
	if err != nil || port < 1 || port > 65535 {
		return 0, fmt.Errorf("%s=%s is no port from 1 to 65535", name, value)
	}
	return port, nil
}

// ignoredByLocalStack says which variables are about an engine of ours: a LocalStack has its own address and data.
func ignoredByLocalStack(getenv func(string) string) string {
	var set []string
	for _, name := range []string{"DB_PORT", "DATA_DIR"} {
		if value := getenv(name); value != "" {
			set = append(set, name+"="+value)
		}
	}
	if set == nil {
		return ""
	}
	return "Ignored, since LocalStack has its own address and keeps its own data: " + strings.Join(set, ", ")
}

// checkPorts finds ports in use before any long work.
func (c config) checkPorts() error {
	for _, v := range c.ports() {
		if v.port == 0 {
			continue
		}
		if err := loopback.CheckPort(loopback.Address, v.port); err != nil {
			return fmt.Errorf("%w: end what listens there, or choose another with %s=", err, v.name)
		}
	}
	return nil
}

// notes are what the developer should know before anything else, in lines: first of all, what becomes of the data.
func (c config) notes() []string {
	var notes []string
	switch {
	case c.engine == engine.LocalStack:
		notes = append(notes, "The data stays in LocalStack when this ends")
	case c.dataDir == "":
		notes = append(notes, "The data is gone when this ends: `DATA_DIR=data make run` keeps it in the folder data")
	default:
		dir, err := filepath.Abs(c.dataDir)
		if err != nil { // there is no working directory, which the engine reports
			dir = c.dataDir
		}
		notes = append(notes, "The data is kept in "+dir)
	}
	if c.ignored != "" {
		notes = append(notes, c.ignored)
	}
	if c.limits != nil {
		notes = append(notes, "The functions meet a table with limits; what that came to is told at the end")
	}
	if c.judgeDue > 0 {
		notes = append(notes, fmt.Sprintf("Shows whose closing time is over are judged, every %v", c.judgeDue))
	}
	if c.throttle {
		notes = append(notes, "Routes take as many requests as template.yaml allows, and answer 429 to the others")
	}
	if c.arch != "" {
		notes = append(notes, "The functions are compiled for "+c.arch+": so `make functions` wants GOARCH="+c.arch+", too")
	}
	if c.engine == engine.DynamoDBLocal {
		notes = append(notes, "DynamoDB Local listens on all addresses of this machine: others in its network can reach the data (docs/engines.md)")
	}
	return notes
}
