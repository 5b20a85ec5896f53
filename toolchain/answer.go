package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

// response is the first line of an answer; a payload follows after a newline where the op has one.
type response struct {
	OK     bool              `json:"ok"`
	Result any               `json:"result,omitempty"`
	Files  map[string][]byte `json:"files,omitempty"`
	Errors []problem         `json:"errors,omitempty"`
	Text   string            `json:"text,omitempty"`
	Panic  string            `json:"panic,omitempty"`

	payload []byte
}

type operation func(context.Context, *request) (*response, error)

var operations = map[string]operation{
	"version":      opVersion,
	"capabilities": opCapabilities,
	"build":        opBuild,
	"verify":       opVerify,
	"check":        opCheck,
	"test":         opTest,
	"fmt":          opFmt,
	"parse":        opParse,
	"inspect":      opInspect,
	"yaml":         opYAML,
	"eval":         opEval,
	"explain":      opExplain,
	"prepare":      opPrepare,
	"many":         opMany,
	"release":      opRelease,
}

// answer runs one call. A panic of the calling goroutine becomes an answer; anything worse ends the instance.
func answer(in []byte) []byte {
	return encode(run(in))
}

func run(in []byte) (out *response) {
	defer func() {
		if p := recover(); p != nil {
			out = &response{Panic: fmt.Sprint(p) + "\n" + string(debug.Stack())}
		}
	}()
	q, err := parseRequest(in)
	if err != nil {
		return failure(err)
	}
	op, ok := operations[q.Op]
	if !ok {
		return failure(fmt.Errorf("unknown operation `%s`", q.Op))
	}
	out, err = op(context.Background(), q)
	if err != nil {
		return failure(err)
	}
	out.OK = true
	return out
}

// encode writes the response without HTML escapes, so that texts reach the host as OPA wrote them.
func encode(r *response) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return encode(failure(fmt.Errorf("answer: %w", err)))
	}
	if r.payload == nil {
		return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	}
	return append(buf.Bytes(), r.payload...)
}
