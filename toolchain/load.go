package main

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/util"
)

// fileLoader reads the request's files as the commands of OPA do.
func fileLoader(q *request, caps *ast.Capabilities) loader.FileLoader {
	return loader.NewFileLoader().WithFS(newMemory(q)).WithRegoVersion(q.regoVersion()).WithProcessAnnotation(true).WithCapabilities(caps)
}

// ignoring leaves out what a base name pattern of --ignore matches, below the paths given.
func ignoring(q *request) loader.Filter {
	return func(p string, i fs.FileInfo, depth int) bool {
		for _, pattern := range q.Ignore {
			if loader.GlobExcludeName(pattern, 1)(p, i, depth) {
				return true
			}
		}
		return false
	}
}

// onlyRego is ignoring that also leaves out every other kind of file.
func onlyRego(q *request) loader.Filter {
	ignored := ignoring(q)
	return func(p string, i fs.FileInfo, depth int) bool {
		return !i.IsDir() && filepath.Ext(i.Name()) != bundle.RegoExt || ignored(p, i, depth)
	}
}

func (q *request) paths() []string {
	if len(q.Paths) > 0 {
		return q.Paths
	}
	return []string{"."}
}

// loadBundles reads each path as a bundle of its own.
func loadBundles(q *request, caps *ast.Capabilities) (map[string]*bundle.Bundle, error) {
	bundles := make(map[string]*bundle.Bundle, len(q.Paths))
	for _, p := range q.paths() {
		b, err := fileLoader(q, caps).WithSkipBundleVerification(true).WithFilter(ignoring(q)).AsBundle(p)
		if err != nil {
			return nil, err
		}
		bundles[p] = b
	}
	return bundles, nil
}

// schemaSet is loader.Schemas without a filesystem: "" is the schema of the input, a/b.json is schema.a.b.
func schemaSet(q *request) (*ast.SchemaSet, error) {
	if len(q.Schemas) == 0 {
		return nil, nil
	}
	set := ast.NewSchemaSet()
	for name, text := range q.Schemas {
		var schema any
		if err := util.Unmarshal([]byte(text), &schema); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		set.Put(schemaRef(name), schema)
	}
	return set, nil
}

func schemaRef(name string) ast.Ref {
	if name == "" {
		return ast.SchemaRootRef
	}
	ref := ast.Ref{ast.SchemaRootDocument}
	for part := range strings.SplitSeq(strings.TrimSuffix(name, path.Ext(name)), "/") {
		ref = append(ref, ast.StringTerm(part))
	}
	return ref
}
