package httpapi

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// Parameters reads the parameters of a query, and collects their errors.
type Parameters struct {
	query    Query
	problems map[string][]string
}

// Parameters returns a reader of the request's query.
func (r *Request) Parameters() *Parameters { return &Parameters{r.Query, map[string][]string{}} }

// Number returns a whole number from least to most, or standard if the query does not have it.
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

// ID returns an id, or "" if the query does not have it.
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

// Refuse notes an error in a parameter: a sentence for people.
func (p *Parameters) Refuse(name, sentence string) {
	p.problems[name] = append(p.problems[name], sentence)
}

// Refusal returns the collected errors as a refusal, or nil.
func (p *Parameters) Refusal() error {
	if len(p.problems) == 0 {
		return nil
	}
	return game.InvalidInput(p.problems)
}

// Linked returns the response with a link to another page of the same list (RFC 8288). The link has the request's path,
// the parameters named in keep, and one more parameter.
func (r Response) Linked(request *Request, rel string, keep []string, name string, id game.ID) Response {
	values := url.Values{name: {string(id)}}
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
