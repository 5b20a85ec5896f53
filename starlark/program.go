package main

import (
	"encoding/json"
	"errors"
	"strings"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// program is the host's request: the source and the limits that hold inside the interpreter.
type program struct {
	Source string `json:"source"`
	// Steps is at least 1: the interpreter takes 0 for no limit.
	Steps        uint64 `json:"steps"`
	OutputBytes  int    `json:"output_bytes"`
	RequestBytes int    `json:"request_bytes"`
	ResultBytes  int    `json:"result_bytes"`
	ResultDepth  int    `json:"result_depth"`
	ResultNodes  int    `json:"result_nodes"`
}

// response is the answer: one of Error, Panic and Result is set.
type response struct {
	Error     string          `json:"error,omitempty"`
	Panic     string          `json:"panic,omitempty"`
	Output    string          `json:"output"`
	Result    json.RawMessage `json:"result,omitempty"`
	Shown     string          `json:"shown,omitempty"`
	Steps     uint64          `json:"steps"`
	Truncated bool            `json:"truncated"`
}

const (
	fileName = "script.star"
	// maxMessage bounds an error's text: `fail` takes a message of any length.
	maxMessage = 4096
)

// The dialect, in full: what is not named here would come from process-wide switches.
var dialect = &syntax.FileOptions{
	Set:               true,
	While:             false,
	TopLevelControl:   true,
	GlobalReassign:    true,
	LoadBindsGlobally: false,
	Recursion:         false,
}

func (p *program) run() response {
	if p.Steps == 0 {
		return response{Panic: "request: no step limit"}
	}
	out := printer{limit: p.OutputBytes}
	thread := &starlark.Thread{Name: "script", Print: func(_ *starlark.Thread, text string) { out.print(text) }}
	thread.SetMaxExecutionSteps(p.Steps)
	predeclared := starlark.StringDict{
		"json": starlarkjson.Module,
		"tool": starlark.NewBuiltin("tool", p.callTool),
	}
	globals, err := starlark.ExecFileOptions(dialect, thread, fileName, p.Source, predeclared)
	done := response{Output: out.text(), Steps: thread.ExecutionSteps(), Truncated: out.truncated}
	if err == nil {
		done.Result, done.Shown, err = p.bindings(globals)
	}
	if err != nil {
		return response{Error: messageOf(err), Steps: done.Steps}
	}
	return done
}

// messageOf words an error with the place in the script where it happened; a limit has the same words everywhere.
func messageOf(err error) string {
	var failure *starlark.EvalError
	if !errors.As(err, &failure) {
		return bounded(err.Error())
	}
	if strings.HasPrefix(failure.Msg, "Starlark computation cancelled: ") {
		return failure.Msg
	}
	return bounded(placeOf(failure.CallStack) + failure.Msg)
}

// placeOf names the innermost place in the script, and the builtin that it calls if the error comes from there.
func placeOf(stack starlark.CallStack) string {
	builtin := ""
	for depth := range stack {
		frame := stack.At(depth)
		if frame.Pos.Filename() == fileName {
			return frame.Pos.String() + ": " + builtin
		}
		builtin = "Error in " + frame.Name + ": "
	}
	return builtin
}

func bounded(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return wholeRunes(text[:maxMessage]) + "…"
}
