package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	astjson "github.com/open-policy-agent/opa/v1/ast/json"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/util"
)

// opFmt formats every file and gives the errors of those that cannot be; one bad file does not hide the others.
func opFmt(_ context.Context, q *request) (*response, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	out := &response{}
	formatted := make(map[string]string, len(q.Files))
	for _, name := range slices.Sorted(maps.Keys(q.Files)) {
		text, err := formatOne(q, caps, name)
		if err != nil {
			out.Errors = append(out.Errors, problems(err)...)
			continue
		}
		formatted[name] = text
	}
	out.Result = formatted
	return out, nil
}

func formatOne(q *request, caps *ast.Capabilities, name string) (string, error) {
	parse := ast.ParserOptions{RegoVersion: q.regoVersion(), Capabilities: caps}
	if q.RegoVersion == "v0v1" {
		parse.RegoVersion = ast.RegoV0
	}
	text, err := format.SourceWithOpts(name, []byte(q.Files[name]), format.Opts{
		RegoVersion:                   q.regoVersion(),
		ParserOptions:                 &parse,
		Capabilities:                  caps,
		DropRedundantDirectiveImports: q.DropV0Imports,
	})
	return string(text), err
}

// opParse gives each module's tree as JSON, with annotations, on request with locations, and on request as
// the compiler leaves it: references resolved, imports and aliases gone.
func opParse(_ context.Context, q *request) (*response, error) {
	modules, err := parsed(q)
	if err != nil {
		return nil, err
	}
	if q.Locations {
		astjson.SetOptions(withLocations)
		defer astjson.SetOptions(astjson.Defaults())
	}
	out := make(map[string]any, len(modules))
	for name, m := range modules {
		m.Comments = nil
		raw, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		out[name] = json.RawMessage(raw)
	}
	return &response{Result: out}, nil
}

func parsed(q *request) (map[string]*ast.Module, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	modules := make(map[string]*ast.Module, len(q.Files))
	var errs ast.Errors
	for _, name := range slices.Sorted(maps.Keys(q.Files)) {
		opts := ast.ParserOptions{ProcessAnnotation: true, RegoVersion: q.regoVersion(), Capabilities: caps}
		m, err := ast.ParseModuleWithOpts(name, q.Files[name], opts)
		if list, ok := err.(ast.Errors); ok {
			errs = append(errs, list...)
		} else if err != nil {
			return nil, err
		} else if m != nil {
			modules[name] = m
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if !q.Compiled {
		return modules, nil
	}
	c := ast.NewCompiler().SetErrorLimit(q.errorLimit()).WithCapabilities(caps).WithEnablePrintStatements(true)
	if c.Compile(modules); c.Failed() {
		return nil, c.Errors
	}
	return c.Modules, nil
}

var withLocations = astjson.Options{MarshalOptions: astjson.MarshalOptions{IncludeLocation: astjson.NodeToggle{
	Term: true, Package: true, Comment: true, Import: true, Rule: true, Head: true, Expr: true, SomeDecl: true, Every: true,
	With: true, Annotations: true, AnnotationsRef: true, Not: true, And: true, Or: true,
}}}

// opInspect gives the annotations of all modules, one entry for each thing that is annotated.
func opInspect(_ context.Context, q *request) (*response, error) {
	modules, err := parsed(q)
	if err != nil {
		return nil, err
	}
	set, errs := ast.BuildAnnotationSet(slices.Collect(maps.Values(modules)))
	if len(errs) > 0 {
		return nil, errs
	}
	astjson.SetOptions(withLocations)
	defer astjson.SetOptions(astjson.Defaults())
	raw, err := json.Marshal(set.Flatten())
	return &response{Result: json.RawMessage(raw)}, err
}

// opYAML reads JSON and YAML texts as OPA reads data files.
func opYAML(_ context.Context, q *request) (*response, error) {
	out := make(map[string]any, len(q.Files))
	for name, text := range q.Files {
		var value any
		if err := util.Unmarshal([]byte(text), &value); err != nil {
			return nil, err
		}
		out[name] = value
	}
	return &response{Result: out}, nil
}
