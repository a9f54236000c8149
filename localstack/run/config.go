package main

import (
	"fmt"
	"strconv"

	"github.com/ranch-game/ranch/localstack/engine"
)

// config is what the environment variables say.
type config struct {
	port    int         // PORT: where the API is served, 3000
	dbPort  int         // DB_PORT: where the engine is served, 8000; not for LocalStack
	dataDir string      // DATA_DIR: where the engine keeps its data; "" keeps it in memory; not for LocalStack
	seed    bool        // SEED: demo (or nothing) fills an empty table, none leaves it empty
	engine  engine.Kind // ENGINE: embedded (or nothing), dynamodb-local or localstack
}

func parseConfig(getenv func(string) string) (config, error) {
	var c config
	var err error
	if c.engine, err = engine.ParseKind(getenv("ENGINE")); err != nil {
		return config{}, err
	}
	for _, p := range []struct {
		name     string
		value    *int
		standard int
	}{{"PORT", &c.port, 3000}, {"DB_PORT", &c.dbPort, 8000}} {
		*p.value = p.standard
		if s := getenv(p.name); s != "" {
			if *p.value, err = strconv.Atoi(s); err != nil || *p.value < 1 || *p.value > 65535 {
				return config{}, fmt.Errorf("%s=%s is no port from 1 to 65535", p.name, s)
			}
		}
	}
	if c.engine == engine.LocalStack {
		for _, name := range []string{"DB_PORT", "DATA_DIR"} {
			if getenv(name) != "" {
				return config{}, fmt.Errorf("%s says nothing to ENGINE=localstack, which runs by itself: leave it out", name)
			}
		}
	} else if c.port == c.dbPort {
		return config{}, fmt.Errorf("PORT and DB_PORT are both %d: choose another for one of them", c.port)
	}
	c.dataDir = getenv("DATA_DIR")
	switch s := getenv("SEED"); s {
	case "", "demo":
		c.seed = true
	case "none":
	default:
		return config{}, fmt.Errorf("SEED=%s is neither demo nor none", s)
	}
	return c, nil
}

// checkPorts finds ports in use before any long work.
func (c config) checkPorts() error {
	if err := engine.CheckPort(c.port); err != nil {
		return fmt.Errorf("%w: end what listens there, or choose another with PORT=", err)
	}
	if c.engine == engine.LocalStack {
		return nil
	}
	if err := engine.CheckPort(c.dbPort); err != nil {
		return fmt.Errorf("%w: end what listens there, or choose another with DB_PORT=", err)
	}
	return nil
}
