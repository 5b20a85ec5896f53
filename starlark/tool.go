package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

var errRequestTooLarge = errors.New("host request is too large")

var decode = starlarkjson.Module.Members["decode"].(*starlark.Builtin)

// callTool is `tool(name, **arguments)`: the host makes a call of it, like any other call of the agent, and gives back its result.
func (p *program) callTool(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("got %d positional arguments, want 1: the tool's name", len(args))
	}
	name, isString := args[0].(starlark.String)
	if !isString || !utf8.ValidString(string(name)) {
		return nil, errors.New("the name must be a string of UTF-8 text")
	}
	arguments, err := p.arguments(kwargs)
	if err != nil {
		return nil, err
	}
	message, err := json.Marshal(map[string]any{"tool": string(name), "arguments": json.RawMessage(arguments)})
	if err != nil {
		return nil, err
	}
	if len(message) > p.RequestBytes {
		return nil, errRequestTooLarge
	}
	return starlark.Call(thread, decode, starlark.Tuple{starlark.String(ask(message))}, nil)
}

func (p *program) arguments(kwargs []starlark.Tuple) ([]byte, error) {
	named := starlark.NewDict(len(kwargs))
	for _, pair := range kwargs {
		if _, found, _ := named.Get(pair[0]); found {
			return nil, fmt.Errorf("got multiple values for keyword argument %s", pair[0])
		}
		if err := named.SetKey(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	// The depth is that of the gate's own bound; a request is bounded by its size.
	out := encoder{bytes: p.RequestBytes, depth: 64, nodes: p.RequestBytes, exact: true}
	switch err := out.value(named); {
	case errors.Is(err, errTooLarge):
		return nil, errRequestTooLarge
	case err != nil:
		return nil, fmt.Errorf("an argument is unfit: %w", err)
	}
	return out.buffer, nil
}
