package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// config has the settings from the environment variables.
type config struct {
	hosts    loopback.Hosts // HOST: 0.0.0.0 opens the API and the page to the network; names are answered, too
	port     int            // PORT: the port of the API; 3000 by default
	playPort int            // PLAY_PORT: the port of the game's page; 3001 by default, 0 (none) for no page
	dbPort   int            // DB_PORT: the port of the database for tools; 8000 by default, 0 for LocalStack
	dataDir  string         // DATA_DIR: the folder of the engine's data (usualDataDir); "" (none) loses data
	seed     bool           // SEED: demo (the default) creates the demo and renews it; none adds nothing
	engine   engine.Kind    // ENGINE: embedded (the default), dynamodb-local or localstack
	judgeDue time.Duration  // JUDGE_DUE: the interval of judging due shows; 0 for never
	throttle bool           // THROTTLE: with 1, the gateway enforces the template's rate limits
	front    bool           // FRONT: 1 limits each address as infra/front.yaml does, and also sets THROTTLE=1
}

// parseConfig reads the settings. The error has a line for each variable with a wrong value.
func parseConfig() (config, error) {
	from := batch.NewSettings(os.Getenv)
	port := func(name string, standard int) int {
		n := from.Number(name, standard, 1)
		if n > 65535 {
			from.Wrong(name, errors.New("a port is at most 65535"))
		}
		return n
	}
	choice := func(name, standard, other string) (chosen bool) {
		text := from.Text(name, standard)
		if text != standard && text != other {
			from.Wrong(name, fmt.Errorf("it must be %s or %s", standard, other))
		}
		return text == other
	}
	var errEngine, err error
	c := config{
		port: port("PORT", 3000), seed: !choice("SEED", "demo", "none"),
		throttle: choice("THROTTLE", "0", "1"), front: choice("FRONT", "0", "1"),
	}
	c.throttle = c.throttle || c.front
	if text := from.Text("HOST", ""); text != "" {
		if c.hosts, err = parseHosts(text); err != nil {
			from.Wrong("HOST", err)
		}
	}
	c.engine, errEngine = engine.KindFromEnv()
	if from.Text("PLAY_PORT", "") != "none" {
		c.playPort = port("PLAY_PORT", 3001)
	}
	if c.engine != engine.LocalStack {
		c.dbPort, c.dataDir = port("DB_PORT", 8000), from.Text("DATA_DIR", usualDataDir)
	}
	if c.dataDir == "none" {
		c.dataDir = ""
	}
	if c.judgeDue, err = time.ParseDuration(from.Text("JUDGE_DUE", asDeployed.String())); err != nil || c.judgeDue < 0 {
		from.Wrong("JUDGE_DUE", errors.New("it must be 0 or a duration such as 5s"))
	}
	return c, errors.Join(errEngine, from.Err())
}

// everywhere is the address of all networks of this machine.
const everywhere = "0.0.0.0"

// parseHosts reads a list of names, which can contain 0.0.0.0.
func parseHosts(list string) (hosts loopback.Hosts, err error) {
	for _, host := range strings.Split(list, ",") {
		_, notAddress := netip.ParseAddr(host)
		switch {
		case host == everywhere:
			hosts.Addresses = true
		case notAddress == nil || !isName.MatchString(host):
			err = fmt.Errorf("%q must be 0.0.0.0, which opens all networks, or a name without a port, such as mac.local", host)
		case host != "localhost":
			hosts.Names = append(hosts.Names, host)
		}
	}
	return hosts, err
}

var isName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// address returns the address at which the API and the page listen.
func (c config) address() string {
	if c.hosts.Addresses {
		return everywhere
	}
	return loopback.Address
}

// open returns a line that says what other devices can reach, or "" if they can reach nothing.
func (c config) open() string {
	what := "the API"
	if c.playPort != 0 {
		what = fmt.Sprintf("the game (port %d) and the API", c.playPort)
	}
	what += fmt.Sprintf(" (port %d), and nothing else", c.port)
	switch {
	case c.hosts.Addresses:
		own := strings.Join(append(ownAddresses(), c.hosts.Names...), ", ")
		return fmt.Sprintf("Open:     to every device in this machine's networks (%s): %s", own, what)
	case len(c.hosts.Names) > 0:
		return fmt.Sprintf("Open:     to a tunnel from %s: %s", strings.Join(c.hosts.Names, ", "), what)
	}
	return ""
}

// ownAddresses returns this machine's IPv4 addresses that other devices may reach.
func ownAddresses() (own []string) {
	all, _ := net.InterfaceAddrs() // without them, the line names none
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			own = append(own, ip.IP.String())
		}
	}
	return own
}

// usualDataDir is the default data folder, in the working tree's root. Other folders are relative to the current
// folder.
const usualDataDir = ".data"

// checkPorts returns an error if a port is in use. It runs before any long work.
func (c config) checkPorts() error {
	for name, port := range map[string]int{"PORT": c.port, "PLAY_PORT": c.playPort, "DB_PORT": c.dbPort} {
		if port == 0 {
			continue
		}
		address := c.address()
		if name == "DB_PORT" {
			address = loopback.Address
		}
		if err := loopback.CheckPort(address, port); err != nil {
			return fmt.Errorf("%w: end the program that listens there, or choose another port with %s=", err, name)
		}
	}
	return nil
}

// asDeployed is the interval of the schedule in template.yaml.
const asDeployed = time.Minute

// notes returns lines for the developer about these settings. The first lines are about who can reach the data and
// whether `make run` keeps them.
func (c config) notes() (notes []string) {
	note := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	local := c.engine == engine.LocalStack
	dir, err := filepath.Abs(c.dataDir)
	if err != nil { // the working directory is missing; the engine reports it
		dir = c.dataDir
	}
	note(c.engine == engine.DynamoDBLocal,
		"DynamoDB Local listens on all addresses of this machine: others in its network can reach the data (docs/engines.md)")
	note(local, "The data stays in LocalStack, at its own address, when this ends: DB_PORT and DATA_DIR are ignored")
	note(!local && c.dataDir == "", "The data is gone when this ends")
	note(!local && c.dataDir != "", "The data is kept in %s: to start afresh, end this and delete the folder (DATA_DIR=none keeps nothing)", dir)
	note(c.front, "Each address has the limits of infra/front.yaml: try others with `curl --interface 127.0.0.2`")
	return notes
}
