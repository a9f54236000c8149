package capacity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// allowed is what an error of Parse says.
const allowed = "fresh (first), read=UNITS, write=UNITS, table-read=UNITS, table-write=UNITS, hold=DURATION, " +
	"latency=cloud or latency=none, scale=FACTOR, seed=NUMBER"

// Parse reads options as one line has them: settings between commas, such as "fresh,hold=20ms,scale=10,seed=7" or
// "read=3000,write=1000". "fresh" is Fresh(), which the settings behind it change; read and write are units a second
// for each partition key, table-read and table-write for the table. scale applies to all of them, wherever it stands.
// The empty text is the zero value. An error says what is allowed.
func Parse(s string) (Options, error) {
	var o Options
	scale := 1.0
	if s == "" {
		return o, nil
	}
	for i, setting := range strings.Split(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(setting), "=")
		var err error
		switch name {
		case "fresh":
			if i > 0 || strings.Contains(setting, "=") {
				err = errors.New("it stands first and alone")
			}
			o = Fresh()
		case "read":
			o.PartitionRead, err = positive(value)
		case "write":
			o.PartitionWrite, err = positive(value)
		case "table-read":
			o.TableRead, err = positive(value)
		case "table-write":
			o.TableWrite, err = positive(value)
		case "scale":
			scale, err = positive(value)
		case "hold":
			if o.Hold, err = time.ParseDuration(value); err == nil && (o.Hold < 0 || o.Hold > time.Minute) {
				err = errors.New("it is not from 0 to 1m")
			}
		case "latency":
			o.Latencies, err = parseLatencies(value)
		case "seed":
			o.Seed, err = strconv.ParseUint(value, 10, 64)
		default:
			err = errors.New("it is not known")
		}
		if err != nil {
			return Options{}, fmt.Errorf("capacity: %q: %w; allowed are %s", setting, err, allowed)
		}
	}
	return o.Scale(scale), nil
}

func parseLatencies(s string) (Latencies, error) {
	switch s {
	case "cloud":
		return CloudLatencies(), nil
	case "none":
		return Latencies{}, nil
	}
	return Latencies{}, errors.New("it is neither cloud nor none")
}

func positive(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && !(f >= 1e-12 && f <= 1e12) { // so that no scale makes it 0, or more than there are numbers
		err = errors.New("it is no number above 0, or too large or small a one")
	}
	return f, err
}
