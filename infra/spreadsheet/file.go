package spreadsheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// MostLines is the most lines of a file, far above any real need.
const MostLines = 10_000

// Columns describes the columns of a file. The first line names them in any order.
type Columns struct {
	Needed, Optional []string
	Also             map[string]string // columns by other names
	Ignored          []string          // further columns that the file may have
}

// Line is a line of a file.
type Line struct {
	Number int
	Cells  map[string]string // by column, without empty cells of optional columns
}

// Read returns the lines of a file, or an error that joins all of its problems. A line that is not CSV hides the problems
// of later lines.
func (f Columns) Read(file io.Reader) (lines []Line, err error) {
	r, err := newCSVReader(file)
	if err != nil {
		return nil, err
	}
	columns, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the first line, which names the columns: %w", err)
	}
	if err := f.checkColumns(columns); err != nil {
		return nil, err
	}
	var problems []error
	for len(lines) <= MostLines {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return lines, errors.Join(problems...)
		}
		if err != nil {
			problems = append(problems, err) // it has the line's number
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			return nil, errors.Join(problems...) // the beginning of the next line is unknown
		}
		number, _ := r.FieldPos(0)
		if !utf8.ValidString(strings.Join(cells, "")) {
			problems = append(problems, fmt.Errorf("line %d is not in UTF-8: %s", number, SaveAs))
			continue
		}
		l := Line{number, map[string]string{}}
		for i, column := range columns {
			if cell := Original(cells[i]); cell != "" || slices.Contains(f.Needed, column) {
				l.Cells[column] = cell
			}
		}
		lines = append(lines, l)
	}
	return nil, fmt.Errorf("the file has more than %d lines", MostLines)
}

// SaveAs says how to get a file that Read accepts.
const SaveAs = `save the file as "CSV UTF-8", with commas`

// newCSVReader returns a reader of the file after its byte order mark. It returns an error if the file is in UTF-16, or
// if semicolons or tabs separate the columns.
func newCSVReader(file io.Reader) (*csv.Reader, error) {
	buffered := bufio.NewReader(file)
	head, _ := buffered.Peek(buffered.Size()) // csv.Reader returns the error
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, errors.New("the file is in UTF-16: " + SaveAs)
	}
	if i := bytes.IndexAny(first, ";\t"); i >= 0 && !bytes.Contains(first, []byte(",")) {
		return nil, fmt.Errorf("%q separates the columns: %s", first[i], SaveAs)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = buffered.Discard(len("\ufeff"))
	}
	r := csv.NewReader(buffered)
	r.TrimLeadingSpace = true
	return r, nil
}

// checkColumns replaces columns' other names. It returns an error for unknown, duplicate and missing columns.
func (f Columns) checkColumns(columns []string) error {
	known := slices.Concat(f.Needed, f.Optional)
	var problems []error
	for i, column := range columns {
		if own, is := f.Also[column]; is && !slices.Contains(columns, own) {
			columns[i] = own
		}
		switch column = columns[i]; {
		case !slices.Contains(known, column) && !slices.Contains(f.Ignored, column):
			problems = append(problems, fmt.Errorf("the column %q is unknown: must be one of %s", column, strings.Join(known, ", ")))
		case slices.Contains(columns[:i], column):
			problems = append(problems, fmt.Errorf("the column %q occurs twice", column))
		}
	}
	for _, column := range f.Needed {
		if !slices.Contains(columns, column) {
			problems = append(problems, fmt.Errorf("the column %q is missing; the file has %q", column, columns))
		}
	}
	return errors.Join(problems...)
}
