package gateway

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

const (
	maxOutput  = 6_291_556 // Lambda's limit on a response
	runtimeAPI = "/{process}/2018-06-01/runtime/"
	// A function that fails while it streams its response says so in a trailer.
	errorTrailer = "Lambda-Runtime-Function-Error-Type"
)

// runtimeAPI serves Lambda's Runtime API to all processes; each has an address of its own, which begins with its id.
func (h *host) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, handler func(http.ResponseWriter, *http.Request, *bootstrap)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			b, known := h.process(r.PathValue("process"))
			if !known {
				http.Error(w, "no such process", http.StatusForbidden)
				return
			}
			handler(w, r, b)
		})
	}
	handle("GET "+runtimeAPI+"invocation/next", next)
	handle("POST "+runtimeAPI+"invocation/{invocation}/response", respond)
	handle("POST "+runtimeAPI+"invocation/{invocation}/error", fail)
	handle("POST "+runtimeAPI+"init/error", failInit)
	return mux
}

// next hands the process its next invocation, as soon as there is one.
func next(w http.ResponseWriter, r *http.Request, b *bootstrap) {
	if !b.next() {
		acknowledge(w, http.StatusForbidden, true)
		return
	}
	select {
	case inv := <-b.invocations:
		b.deliver(inv)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Invoked-Function-Arn", b.function.arn())
		header.Set("Lambda-Runtime-Trace-Id", inv.trace)
		w.Write(inv.event) // a process that has gone away is noticed elsewhere
	case <-b.exited:
	case <-r.Context().Done():
		b.kill("gateway: the process no longer asks for requests", nil)
	}
}

// respond takes the function's output.
func respond(w http.ResponseWriter, r *http.Request, b *bootstrap) {
	output, err := io.ReadAll(io.LimitReader(r.Body, maxOutput+1))
	status, outcome := http.StatusAccepted, result{output: output}
	switch {
	case err != nil:
		status, outcome = http.StatusBadRequest, result{err: err}
	case len(output) > maxOutput:
		b.log("gateway: " + errTooLarge.Error())
		io.Copy(io.Discard, r.Body) // so that the process gets to read the answer
		status, outcome = http.StatusRequestEntityTooLarge, result{err: errTooLarge}
	case r.Trailer.Get(errorTrailer) != "":
		outcome = result{err: errors.New(r.Trailer.Get(errorTrailer))}
	}
	acknowledge(w, status, b.complete(r.PathValue("invocation"), outcome))
}

// fail takes the function's word that it failed; what happened it has logged itself.
func fail(w http.ResponseWriter, r *http.Request, b *bootstrap) {
	io.Copy(io.Discard, r.Body)
	acknowledge(w, http.StatusAccepted, b.complete(r.PathValue("invocation"), result{err: errFunction}))
}

// failInit takes the function's word that it cannot start, upon which it exits.
func failInit(w http.ResponseWriter, r *http.Request, b *bootstrap) {
	report, err := io.ReadAll(io.LimitReader(r.Body, process.MaxLine))
	if err == nil {
		b.log("gateway: the function cannot start: " + string(report))
	}
	acknowledge(w, http.StatusAccepted, true)
}

func acknowledge(w http.ResponseWriter, status int, known bool) {
	if !known {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, `{"status":"`+http.StatusText(status)+`"}`)
}
