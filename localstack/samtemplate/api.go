package samtemplate

import (
	"strings"
	"time"
)

// CORS is what the HTTP API answers browsers with.
type CORS struct {
	AllowOrigins  []string
	AllowMethods  []string
	AllowHeaders  []string
	ExposeHeaders []string
	// MaxAge is how long a browser may remember the answer to a preflight request; zero: unsaid.
	MaxAge           time.Duration
	AllowCredentials bool
}

func (t *Template) readAPI(properties property) {
	configuration := properties.get("CorsConfiguration")
	if !configuration.present() {
		return
	}
	if t.CORS != nil {
		configuration.fail("there is another HttpApi already")
		return
	}
	configuration.only("AllowOrigins", "AllowMethods", "AllowHeaders", "ExposeHeaders", "MaxAge", "AllowCredentials")
	t.CORS = &CORS{
		AllowOrigins:     t.list(configuration.get("AllowOrigins")),
		AllowMethods:     t.list(configuration.get("AllowMethods")),
		AllowHeaders:     t.list(configuration.get("AllowHeaders")),
		ExposeHeaders:    t.list(configuration.get("ExposeHeaders")),
		MaxAge:           time.Duration(configuration.get("MaxAge").integer()) * time.Second,
		AllowCredentials: configuration.get("AllowCredentials").boolean(),
	}
}

// list reads a list of texts, or a !Ref to a parameter of type CommaDelimitedList, which then has its default.
func (t *Template) list(p property) []string {
	if !p.present() {
		return nil
	}
	values := p.values()
	if len(values) != 1 || values[0].Ref == "" {
		return p.texts()
	}
	parameter, known := t.parameters[values[0].Ref]
	if !known || parameter.Type != "CommaDelimitedList" || parameter.Default == nil {
		p.fail("want a parameter of type CommaDelimitedList with a default, not %s", values[0])
		return nil
	}
	var all []string
	for text := range strings.SplitSeq(*parameter.Default, ",") {
		all = append(all, strings.TrimSpace(text))
	}
	return all
}
