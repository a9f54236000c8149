package logcheck

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// longestLine is longer than any event that CloudWatch keeps.
const longestLine = 16 << 20

// Read adds the calls of a log. It accepts the functions' own lines, CloudWatch's exports to S3 (with a time before
// each line, zipped or not), and the JSON or CSV of CloudWatch's command line and queries. It only counts lines that
// belong to no call. Exports overlap: if Read has read a call's line before, in any form, it only counts a duplicate.
// It returns an error if it cannot read or unzip the log, or if a line has more than 16 MiB.
func (c *Checker) Read(from io.Reader) error {
	buffered := bufio.NewReader(from)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return fmt.Errorf("unzip: %w", err)
		}
		buffered = bufio.NewReader(unzipped)
	}
	lines := bufio.NewScanner(buffered)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	for lines.Scan() {
		c.line(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return nil
}

// line has the members that Read needs: of a function's line, of Lambda's own lines, and of objects with events.
type line struct {
	Time       string  `json:"time"`
	Msg        string  `json:"msg"`
	Function   Kind    `json:"function"`
	Status     int     `json:"status"`
	Code       string  `json:"code"`
	Error      string  `json:"error"`
	DurationMS float64 `json:"duration_ms"`
	Request    string  `json:"request_id"`
	Invocation string  `json:"lambda_request_id"`
	User       game.ID `json:"user"`
	Show       game.ID `json:"show"`

	Paid    int64     `json:"GoldPaid"`
	Charged int64     `json:"GoldCharged"`
	Entries int64     `json:"Entries"`
	Judged  int       `json:"JudgedEntries"`
	Due     []game.ID `json:"judged"` // of judge-due
	Damaged int64     `json:"DamagedShows"`
	Metrics struct {
		Timestamp int64 // in milliseconds
	} `json:"_aws"`

	Type     string `json:"type"` // of Lambda's own lines
	Platform struct {
		Status string `json:"status"`
	} `json:"record"`

	wrapped
	Events  []wrapped `json:"events"`
	Results [][]struct {
		Field string `json:"field"`
		Value string `json:"value"`
	} `json:"results"`
}

// wrapped is an event in the form of the command line or of a query.
type wrapped struct {
	Timestamp   json.RawMessage `json:"timestamp"` // a number of milliseconds
	Message     string          `json:"message"`
	AtTimestamp string          `json:"@timestamp"`
	AtMessage   string          `json:"@message"`
}

func (w wrapped) message() string { return cmp.Or(w.Message, w.AtMessage) }

// at returns the time of the event by CloudWatch's clock, or 0 if the event has no such time.
func (w wrapped) at() game.Instant {
	if ms, err := strconv.ParseInt(string(w.Timestamp), 10, 64); err == nil {
		return game.Instant(ms)
	}
	at, _ := leadingTime([]byte(w.AtTimestamp))
	return at
}

// member matches one line of an event that is printed over several lines, if it has a time, a message or a value.
var member = regexp.MustCompile(`^\s*"(?:@?timestamp|@?message|value)": (\d+|".*"),?\s*$`)

func (c *Checker) line(text []byte) {
	found := member.FindSubmatch(text)
	if found == nil {
		c.event(text, 0)
		return
	}
	var value string
	if err := json.Unmarshal(found[1], &value); err != nil { // a number
		c.memberAt = wrapped{Timestamp: found[1]}.at()
	} else if at, rest := leadingTime([]byte(value)); at != 0 && len(rest) == 0 {
		c.memberAt = at
	} else {
		c.event([]byte(value), c.memberAt)
	}
}

// event reads each object in the text: an event, or an object that contains events. Text without an object counts as
// another line. at is the time that the enclosing event gives for the text; 0 means unknown. A time at the beginning of
// the text replaces at.
func (c *Checker) event(text []byte, at game.Instant) {
	if own, _ := leadingTime(text); own != 0 {
		at = own
	}
	objects := false
	for rest := text; ; {
		begin := bytes.IndexByte(rest, '{')
		if begin < 0 {
			break
		}
		if rest = rest[begin:]; bytes.HasPrefix(rest, []byte(`{""`)) { // a cell of CSV
			rest = bytes.ReplaceAll(rest, []byte(`""`), []byte(`"`))
		}
		var l line
		decoder := json.NewDecoder(bytes.NewReader(rest))
		if err := decoder.Decode(&l); err != nil {
			break
		}
		objects = true
		end := decoder.InputOffset()
		c.object(l, rest[:end], at)
		rest = rest[end:]
	}
	if !objects {
		c.other(text, at)
	}
}

func (c *Checker) object(l line, text []byte, at game.Instant) {
	switch {
	case l.Function != "" && (l.Msg == "request" || l.Msg == "run"):
		c.call(l, text)
	case l.Msg == "" && l.message() != "":
		c.event([]byte(l.message()), l.at())
	case len(l.Events) > 0:
		for _, e := range l.Events {
			c.event([]byte(e.message()), e.at())
		}
	case len(l.Results) > 0:
		for _, row := range l.Results {
			var w wrapped
			for _, f := range row {
				switch f.Field {
				case "@timestamp":
					w.AtTimestamp = f.Value
				case "@message":
					w.AtMessage = f.Value
				}
			}
			c.event([]byte(w.message()), w.at())
		}
	case l.Type == "platform.report" && l.Platform.Status != "" && l.Platform.Status != "success":
		if own, _ := leadingTime([]byte(l.Time)); own != 0 {
			at = own
		}
		c.report.Others++
		c.died(text, at)
	default:
		c.report.Others++
	}
}

// leading matches the time in UTC that exports, queries and Lambda's texts about time-outs put before an event.
var leading = regexp.MustCompile(`^\S*?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)Z?`)

// leadingTime returns the time at the beginning of the text, and the rest. Without a time, it returns 0 and the text.
func leadingTime(text []byte) (at game.Instant, rest []byte) {
	found := leading.FindSubmatch(text)
	if found == nil {
		return 0, text
	}
	t, err := time.Parse(time.DateTime, string(found[1])+" "+string(found[2]))
	if err != nil {
		return 0, text
	}
	return game.InstantOf(t), text[len(found[0]):]
}

// processEnded matches the texts of Lambda and the local gateway about a process that ended before its work was done.
var processEnded = regexp.MustCompile(`Task timed out after|Status: (timeout|error)|Runtime exited|gateway: the process ended`)

// other counts a text that is not the line of a call. If the text reports the end of a process, it notes that.
func (c *Checker) other(text []byte, at game.Instant) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	c.report.Others++
	if processEnded.Match(text) {
		c.died(text, at)
	}
}

// invocation matches Lambda's id of a call.
var invocation = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// died notes, once for each invocation, that a process ended before its work was done. at is its time; 0: unknown.
func (c *Checker) died(text []byte, at game.Instant) {
	if id := invocation.Find(text); id == nil || !c.again(id) {
		c.Lost(at)
	}
}

// again reports whether the text was read before.
func (c *Checker) again(text []byte) bool {
	hash := maphash.Bytes(c.seed, text)
	before := c.seen[hash]
	c.seen[hash] = true
	return before
}

// call adds the records of a function's line: one, or for judge-due one for each show that it has judged.
func (c *Checker) call(l line, text []byte) {
	ended, err := time.Parse(time.RFC3339Nano, l.Time)
	if err != nil {
		c.report.Others++
		return
	}
	if c.again(text) {
		c.report.Duplicates++
		return
	}
	began := ended.Add(-time.Duration(l.DurationMS * float64(time.Millisecond)))
	r := Record{
		Kind: l.Function, Outcome: l.outcome(), Refusal: cmp.Or(l.Error, l.Code), User: l.User, Show: l.Show,
		Began: game.InstantOf(began), Ended: game.InstantOf(ended.Add(time.Millisecond)), At: game.Instant(l.Metrics.Timestamp),
		Paid: l.Paid, Charged: l.Charged, Judged: l.Judged, Request: cmp.Or(l.Request, l.Invocation),
	}
	if l.Function != JudgeDue {
		if r.Kind == Enter && (r.Outcome == Done) != (l.Entries == 1) {
			c.violation("figures", fmt.Sprintf("%s ended with %d (%s) and counts %d entries", r.Kind, l.Status, r.Refusal, l.Entries), r)
		}
		if own := c.asked[r.Request]; own != nil {
			c.merge(own, l, r)
		} else {
			c.Add(r)
		}
		return
	}
	if len(l.Due) == 0 {
		c.report.Others++
	}
	for _, show := range l.Due {
		r.Outcome, r.Show, r.Judged = Done, show, -1
		c.Add(r)
	}
}

// outcome returns the outcome of the line's call. If the call failed, the outcome is unknown, unless the line names an
// effect of the call. A run of a scheduled function has no status: it has failed if its line has an error.
func (l line) outcome() Outcome {
	switch {
	case l.Entries > 0 || l.Paid > 0 || l.Function == Judge && l.Judged > 0:
		if l.Code != "" {
			return Refused
		}
		return Done
	case l.Code != "":
		return Refused
	case l.Error == "" && (l.Msg == "run" || l.Status >= 200 && l.Status < 300):
		return Done
	}
	return Unknown
}
