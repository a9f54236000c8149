package spreadsheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFilesOfSpreadsheets reads one line as spreadsheets save it. If a file is unusable, the only problem names the cause.
func TestFilesOfSpreadsheets(t *testing.T) {
	t.Parallel()
	utf16 := func(text string) string { return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	commas := "name,tier,fee,closes-at\nJug,pro,25,2026-11-21T09:30:00Z\n"
	quoted := `"name","tier","fee","closes-at"` + "\r\n" + `"Jug","pro","25","2026-11-21T09:30:00Z"` + "\r\n"
	for _, test := range []struct{ file, problem string }{
		{commas, ""},
		{quoted, ""},
		{"\ufeff" + commas, ""},
		{"\ufeff" + quoted, ""},
		{strings.ReplaceAll(commas, ",", ";"), `';' separates the columns: ` + SaveAs},
		{"\ufeff" + strings.ReplaceAll(quoted, ",", ";"), `';' separates the columns: ` + SaveAs},
		{strings.ReplaceAll(commas, ",", "\t"), `'\t' separates the columns: ` + SaveAs},
		{utf16(commas), "the file is in UTF-16: " + SaveAs},
		{utf16(strings.ReplaceAll(commas, ",", "\t")), "the file is in UTF-16: " + SaveAs},
		{strings.Replace(commas, "Jug", "J\xfcg", 1), "line 2 is not in UTF-8: " + SaveAs},
	} {
		lines, err := Columns{Needed: []string{"name", "tier", "fee", "closes-at"}}.Read(strings.NewReader(test.file))
		if test.problem != "" {
			assert.EqualError(t, err, test.problem, "%q", test.file)
		} else if assert.NoError(t, err, "%q", test.file) && assert.Len(t, lines, 1, "%q", test.file) {
			assert.Equal(t, "Jug", lines[0].Cells["name"], "%q", test.file)
		}
	}
}
