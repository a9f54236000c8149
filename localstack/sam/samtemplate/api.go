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

// Throttle is what one route takes of all clients together.
type Throttle struct {
	Rate  float64 // requests a second
	Burst int     // at once
}

// Throttle returns what a route takes, "POST /auth/login"; the zero value where the template sets no limit.
func (t *Template) Throttle(route string) Throttle {
	if own, ok := t.throttles[route]; ok {
		return own
	}
	return t.throttles[""]
}

func (t *Template) readAPI(properties property) {
	properties.only("CorsConfiguration", "DefaultRouteSettings", "RouteSettings", "AccessLogSettings")
	t.AccessLog = properties.get("AccessLogSettings").get("Format").text()
	if standard := properties.get("DefaultRouteSettings"); standard.present() {
		t.throttles[""] = readThrottle(standard)
	}
	for _, route := range properties.get("RouteSettings").fields() {
		t.throttles[route.name] = readThrottle(route)
	}
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

func readThrottle(p property) Throttle {
	p.only("ThrottlingRateLimit", "ThrottlingBurstLimit")
	p.get("ThrottlingRateLimit").required()
	p.get("ThrottlingBurstLimit").required()
	return Throttle{Rate: float64(p.get("ThrottlingRateLimit").integer()), Burst: p.get("ThrottlingBurstLimit").integer()}
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
