package httpapi

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// Parameters reads the parameters of a query, and collects errors. After the reads, Refusal returns the errors.
type Parameters struct {
	query    Query
	problems map[string][]string
}

// Parameters returns a reader of the request's query.
func (r *Request) Parameters() *Parameters { return &Parameters{r.Query, map[string][]string{}} }

// Number returns the whole number in a parameter, or standard if the query does not have the parameter. If the text is
// not a number from least to most, Number notes an error.
func (p *Parameters) Number(name string, standard, least, most int) int {
	text, given := p.query.Get(name)
	if !given {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.Refuse(name, fmt.Sprintf("Must be a whole number from %d to %d.", least, most))
	}
	return n
}

// ID returns the id in a parameter, or "" if the query does not have the parameter. If the text is not a UUID, ID notes
// an error.
func (p *Parameters) ID(name string) game.ID {
	text, given := p.query.Get(name)
	if !given {
		return ""
	}
	id, ok := game.ParseID(text)
	if !ok {
		p.Refuse(name, "Must be a UUID.")
	}
	return id
}

// Bool returns whether a parameter is "true"; it is false if the query does not have the parameter. If the text is
// neither "true" nor "false", Bool notes an error.
func (p *Parameters) Bool(name string) bool {
	text, given := p.query.Get(name)
	if given && text != "true" && text != "false" {
		p.Refuse(name, `Must be "true" or "false".`)
	}
	return text == "true"
}

// Place returns where a page begins, by the parameters after, before and around: behind the id after, before the id
// before, or at the caller, if around is "me". At most one of them is given: otherwise Place notes an error.
func (p *Parameters) Place() (after, before game.ID, aroundCaller bool) {
	after, before = p.ID("after"), p.ID("before")
	around, given := p.query.Get("around")
	if given && around != "me" {
		p.Refuse("around", `Must be "me".`)
	}
	if after != "" && before != "" || given && after+before != "" {
		p.Refuse("after", "After, before and around cannot be combined.")
	}
	return after, before, around == "me"
}

// Refuse notes an error in the named parameter. The sentence is for people.
func (p *Parameters) Refuse(name, sentence string) {
	p.problems[name] = append(p.problems[name], sentence)
}

// Refusal returns a refusal with all noted errors, or nil if there are none.
func (p *Parameters) Refusal() error {
	if len(p.problems) == 0 {
		return nil
	}
	return game.InvalidInput(p.problems)
}

// Linked returns the response with a link to another page of the same list in its header Link (RFC 8288). rel is the
// page: "next" or "prev". The link has the request's path, the values, and those of the request's parameters that are in
// keep.
func (r Response) Linked(request *Request, rel string, values url.Values, keep ...string) Response {
	for _, other := range keep {
		if value, given := request.Query.Get(other); given {
			values.Set(other, value)
		}
	}
	links := []string{fmt.Sprintf("<%s?%s>; rel=%q", request.Path, values.Encode(), rel)}
	if before := r.Header["Link"]; before != "" {
		links = append(links, before)
	}
	return r.with("Link", strings.Join(links, ", "))
}
