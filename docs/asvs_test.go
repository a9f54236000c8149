package docs_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asvs are the numbers of levels 1 and 2 of ASVS 4.0.3: of each section, which it has. Numbers in between are of level
// 3 or are no longer there.
const asvs = `1.1:1-7 1.2:1-4 1.4:1,4,5 1.5:1-4 1.6:1-4 1.7:1-2 1.8:1-2 1.9:1-2 1.10:1 1.11:1-2 1.12:2 1.14:1-6
2.1:1-12 2.2:1-3 2.3:1-3 2.4:1-5 2.5:1-7 2.6:1-3 2.7:1-6 2.8:1-7 2.9:1-3 2.10:1-4
3.1:1 3.2:1-4 3.3:1-4 3.4:1-5 3.5:1-3 3.7:1
4.1:1-3,5 4.2:1-2 4.3:1-3
5.1:1-5 5.2:1-8 5.3:1-10 5.4:1-3 5.5:1-4
6.1:1-3 6.2:1-6 6.3:1-2 6.4:1-2
7.1:1-4 7.2:1-2 7.3:1,3,4 7.4:1-3
8.1:1-4 8.2:1-3 8.3:1-8
9.1:1-3 9.2:1-4
10.2:1-2 10.3:1-3
11.1:1-8
12.1:1-3 12.2:1 12.3:1-6 12.4:1-2 12.5:1-2 12.6:1
13.1:1,3,4,5 13.2:1,2,3,5,6 13.3:1-2 13.4:1-2
14.1:1-4 14.2:1-6 14.3:2,3 14.4:1-7 14.5:1-4`

// required writes them all out: V1.1.1, V1.1.2, ...
func required(t *testing.T) (all []string) {
	t.Helper()
	for part := range strings.FieldsSeq(asvs) {
		section, numbers, _ := strings.Cut(part, ":")
		for span := range strings.SplitSeq(numbers, ",") {
			first, last, more := strings.Cut(span, "-")
			if !more {
				last = first
			}
			all = append(all, spanOf(t, "V"+section+"."+first, "V"+section+"."+last)...)
		}
	}
	return all
}

// spanOf writes out a span of one section.
func spanOf(t *testing.T, first, last string) (all []string) {
	t.Helper()
	section, from := cutNumber(t, first)
	other, to := cutNumber(t, last)
	if section != other || to < from {
		t.Fatalf("%s to %s is no span", first, last)
	}
	for n := from; n <= to; n++ {
		all = append(all, fmt.Sprint(section, ".", n))
	}
	return all
}

func cutNumber(t *testing.T, requirement string) (section string, number int) {
	t.Helper()
	at := strings.LastIndex(requirement, ".")
	number, err := strconv.Atoi(requirement[at+1:])
	if err != nil {
		t.Fatal(err)
	}
	return requirement[:at], number
}

// TestASVS counts the rows of asvs.md: each number of levels 1 and 2 stands there once, with a verdict, and with a
// reason. The first numbers of the rows are in order. TestPages looks for what is named.
func TestASVS(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	want := required(t)
	if len(want) != 259 {
		t.Fatalf("%d requirements, and ASVS has 259", len(want))
	}
	row := regexp.MustCompile(`(?m)^\| (V[\d.]+\b.*?) \| (.*) \| (.*) \| (.*)\|$`)
	var got []string
	verdicts, place := map[string]int{}, -1
	for _, r := range row.FindAllStringSubmatch(string(page), -1) {
		verdict, why := r[3], strings.TrimSpace(r[4])
		before, above := len(got), place
		for part := range strings.SplitSeq(r[1], ", ") {
			first, last, more := strings.Cut(part, " to ")
			if !more {
				last = first
			}
			got = append(got, spanOf(t, first, last)...)
		}
		if place = slices.Index(want, got[before]); place < above {
			t.Errorf("%s is not in its order", got[before])
		}
		verdicts[verdict] += len(got) - before
		if why == "" {
			t.Errorf("%s is %s, and nothing says why", r[1], verdict)
		}
	}
	for verdict := range verdicts {
		if !slices.Contains([]string{"met", "partly", "not met", "none", "outside"}, verdict) {
			t.Errorf("%q is no verdict", verdict)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		for _, n := range want {
			if !slices.Contains(got, n) {
				t.Errorf("%s is missing", n)
			}
		}
		t.Errorf("%d numbers stand on the page, want %d, each once", len(got), len(want))
	}
	t.Log(verdicts)
}
