package logs

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// longestLine is more than CloudWatch keeps as one event.
const longestLine = 16 << 20

// Read takes the lines of a log, one event each: as functions write them; as CloudWatch exports them to S3, with a time
// before each, zipped or not; and as its command line and its queries print them, as JSON or CSV. It counts what is no
// call's line. A line that was there before is taken once, since exports overlap.
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
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the log: %w", err)
	}
	return nil
}

// line is what is read of an event: of a function's line, of Lambda's own, or of what has the event in it.
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
	Metrics struct {
		Timestamp int64 // in milliseconds
	} `json:"_aws"`

	Type     string `json:"type"` // of Lambda's own
	Platform struct {
		Status string `json:"status"`
	} `json:"record"`

	Message   string `json:"message"`
	AtMessage string `json:"@message"`
	Events    []struct {
		Message string `json:"message"`
	} `json:"events"`
}

// inside is a member of an event that is printed over several lines.
var inside = regexp.MustCompile(`^\s*"@?message": ".*",?\s*$`)

// died is how Lambda says as text that a process ended before its work.
var died = regexp.MustCompile(`Task timed out after|Status: (timeout|error)|Runtime exited`)

func (c *Checker) line(text []byte) {
	if inside.Match(text) {
		text = append(append([]byte("{"), bytes.TrimRight(text, ", \t\r")...), '}')
	}
	begin := bytes.IndexByte(text, '{')
	if begin < 0 {
		c.other(text, "")
		return
	}
	object := text[begin:]
	if bytes.HasPrefix(object, []byte(`{""`)) { // a cell of CSV
		object = bytes.ReplaceAll(object, []byte(`""`), []byte(`"`))
	}
	var l line
	if err := json.NewDecoder(bytes.NewReader(object)).Decode(&l); err != nil {
		c.other(text, "")
		return
	}
	switch {
	case l.Msg == "" && cmp.Or(l.Message, l.AtMessage) != "":
		c.line([]byte(cmp.Or(l.Message, l.AtMessage)))
	case len(l.Events) > 0:
		for _, event := range l.Events {
			c.line([]byte(event.Message))
		}
	case l.Function == "" || l.Msg != "request" && l.Msg != "run":
		if l.Type == "platform.report" && l.Platform.Status != "" && l.Platform.Status != "success" {
			text = []byte("Runtime exited")
		}
		c.other(text, l.Time)
	default:
		c.call(l, object)
	}
}

// leadingTime is what an export puts before an event.
var leadingTime = regexp.MustCompile(`^\S*\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// other counts a line that is no call's, and takes it down where it says that a process ended.
func (c *Checker) other(text []byte, at string) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	c.report.Others++
	if !died.Match(text) {
		return
	}
	if ended, err := game.ParseInstant(cmp.Or(at, string(leadingTime.Find(text)))); err == nil {
		c.Lost(ended)
	}
}

// call adds the records of a function's line: one, or one for each show that it has judged.
func (c *Checker) call(l line, text []byte) {
	ended, err := time.Parse(time.RFC3339Nano, l.Time)
	if err != nil {
		c.other(text, "")
		return
	}
	hash := maphash.Bytes(c.seed, bytes.TrimSpace(text))
	if c.seen[hash] {
		c.report.Duplicates++
		return
	}
	c.seen[hash] = true
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
		c.Add(r)
		return
	}
	for _, show := range l.Due {
		r.Outcome, r.Show, r.Judged = Done, show, -1
		c.Add(r)
	}
}

// outcome is what the line says of its call. A fault is nobody's to know, unless what became true by the call is there.
func (l line) outcome() Outcome {
	switch {
	case l.Entries > 0 || l.Paid > 0 || l.Function == Judge && l.Judged > 0:
		if l.Code != "" {
			return Refused
		}
		return Done
	case l.Code != "":
		return Refused
	case l.Status >= 200 && l.Status < 300 && l.Error == "":
		return Done
	}
	return Unknown
}
