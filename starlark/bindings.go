package main

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// bindings gives the top-level bindings that are data: as JSON, and as Starlark would write them. Names that start with an
// underscore are private; what is no data, or holds something that is none, is left out.
func (p *program) bindings(globals starlark.StringDict) ([]byte, string, error) {
	out := encoder{bytes: p.ResultBytes, depth: p.ResultDepth, nodes: p.ResultNodes}
	shown := starlark.NewDict(len(globals))
	out.buffer = append(out.buffer, '{')
	for _, name := range globals.Keys() {
		if strings.HasPrefix(name, "_") {
			continue
		}
		err := out.binding(name, globals[name])
		if errors.Is(err, errNotData) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("result is %w: `%s`", err, name)
		}
		if err := shown.SetKey(starlark.String(name), globals[name]); err != nil {
			return nil, "", err
		}
	}
	return append(out.buffer, '}'), shown.String(), nil
}

// binding adds one member to the object, or nothing at all.
func (e *encoder) binding(name string, value starlark.Value) error {
	start, nodes := len(e.buffer), e.nodes
	if start > 1 {
		e.buffer = append(e.buffer, ',')
	}
	err := e.text(name)
	if err == nil {
		err = e.raw(":")
	}
	if err == nil {
		err = e.value(value)
	}
	if err != nil {
		e.buffer, e.nodes = e.buffer[:start], nodes
	}
	return err
}
