package gateway

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

const maxOutput = 6_291_556 // Lambda's limit on a response, in bytes

// runtimeAPI serves Lambda's Runtime API to the functions' processes. It supports what the Go library needs for answers
// that are not streamed. Each process has its own base path: the function's name and the process's id.
func (g *Gateway) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, *worker){
		"GET /{function}/{process}/2018-06-01/runtime/invocation/next":                   next,
		"POST /{function}/{process}/2018-06-01/runtime/invocation/{invocation}/response": respond,
		"POST /{function}/{process}/2018-06-01/runtime/invocation/{invocation}/error":    fail,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if f, err := g.function(r.PathValue("function")); err == nil {
				f.mu.Lock()
				worker := f.workers[r.PathValue("process")]
				f.mu.Unlock()
				if worker != nil {
					handle(w, r, worker)
					return
				}
			}
			http.Error(w, "no such process", http.StatusForbidden)
		})
	}
	return mux
}

// next answers a process with its next invocation, after waiting for one.
func next(w http.ResponseWriter, r *http.Request, by *worker) {
	served := by.finish()
	if by.usable() {
		by.function.idle <- by
	}
	served.end() // only now, so that the client's next request finds this process idle
	select {
	case inv := <-by.invocations:
		by.serve(inv)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Trace-Id", inv.trace)
		w.Write(inv.event) // if the process is gone, run notices
	case <-by.ended:
	case <-r.Context().Done():
		by.kill("gateway: the process no longer asks for requests", nil)
	}
}

// respond accepts the function's output. An output above the limit becomes errTooLarge.
func respond(w http.ResponseWriter, r *http.Request, by *worker) {
	output, err := io.ReadAll(io.LimitReader(r.Body, maxOutput+1))
	status, outcome := http.StatusAccepted, result{output: output}
	switch {
	case err != nil:
		status, outcome = http.StatusBadRequest, result{err: err}
	case len(output) > maxOutput:
		by.function.log("gateway: " + errTooLarge.Error())
		io.Copy(io.Discard, r.Body) // so that the process can read the answer
		status, outcome = http.StatusRequestEntityTooLarge, result{err: errTooLarge}
	}
	complete(w, r, by, status, outcome)
}

// fail accepts a process's report that its function has failed. It ignores the text, which the process has logged.
func fail(w http.ResponseWriter, r *http.Request, by *worker) {
	io.Copy(io.Discard, r.Body)
	complete(w, r, by, http.StatusAccepted, result{err: errFunction})
}

// complete accepts a process's answer to its current invocation. Any other answer gets a 400.
func complete(w http.ResponseWriter, r *http.Request, by *worker, status int, outcome result) {
	by.function.mu.Lock()
	if inv := by.serves; inv != nil && inv.id == r.PathValue("invocation") && errors.Is(inv.answer.err, errNoAnswer) {
		inv.answer = outcome
	} else {
		status = http.StatusBadRequest
	}
	by.function.mu.Unlock()
	w.WriteHeader(status)
}
