package main

import (
	"context"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// opCheck is `opa check`: parse, compile, and, with schemas, type-check.
func opCheck(_ context.Context, q *request) (*response, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	schemas, err := schemaSet(q)
	if err != nil {
		return nil, err
	}
	c := ast.NewCompiler().SetErrorLimit(q.errorLimit()).WithCapabilities(caps).WithSchemas(schemas).
		WithEnablePrintStatements(true).WithStrict(q.Strict).WithUseTypeCheckAnnotations(true)
	modules, data, err := checked(q, caps)
	if err != nil {
		return nil, err
	}
	if len(data) > 0 {
		c = c.WithPathConflictsCheck(func(path []string) (bool, error) { return holds(data, path), nil })
	}
	if c.Compile(modules); c.Failed() {
		return nil, c.Errors
	}
	return &response{Result: map[string]int{"modules": len(modules)}}, nil
}

// checked gives the modules, and for bundles the data that a package must not overlap.
func checked(q *request, caps *ast.Capabilities) (map[string]*ast.Module, map[string]any, error) {
	if !q.Bundle {
		l, err := fileLoader(q, caps).Filtered(q.paths(), onlyRego(q))
		if err != nil {
			return nil, nil, err
		}
		return l.ParsedModules(), nil, nil
	}
	bundles, err := loadBundles(q, caps)
	if err != nil {
		return nil, nil, err
	}
	var list []*bundle.Bundle
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		list = append(list, bundles[name])
	}
	merged, err := bundle.Merge(list)
	if err != nil {
		return nil, nil, err
	}
	return merged.ParsedModules(""), merged.Data, nil
}

func holds(data map[string]any, path []string) bool {
	for _, key := range path {
		next, ok := data[key]
		if !ok {
			return false
		}
		if data, ok = next.(map[string]any); !ok {
			return true
		}
	}
	return len(path) > 0
}
