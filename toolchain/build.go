package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/keys"
)

// keyID is what OPA's command line uses: it is part of the signature's bytes.
const keyID = "default"

// opBuild is `opa build`: the same settings give the same bytes as the native command.
func opBuild(ctx context.Context, q *request) (*response, error) {
	c, err := compilerFor(q)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	if err := c.WithOutput(&archive).Build(ctx); err != nil {
		return nil, err
	}
	files := map[string][]byte{"bundle.tar.gz": archive.Bytes()}
	for _, m := range c.Bundle().WasmModules {
		files["policy.wasm"] = m.Raw
	}
	for _, m := range c.Bundle().PlanModules {
		files["plan.json"] = m.Raw
	}
	if files["data.json"], err = member(archive.Bytes(), "/data.json"); err != nil {
		return nil, err
	}
	return &response{Result: c.Bundle().Manifest, Files: files}, nil
}

func compilerFor(q *request) (*compile.Compiler, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	target := q.Target
	if target == "" {
		target = compile.TargetWasm
	}
	ignored := ignoring(q)
	c := compile.New().WithFS(newMemory(q)).WithPaths(q.paths()...).WithAsBundle(q.Bundle).WithTarget(target).
		WithEntrypoints(q.Entrypoints...).WithRegoAnnotationEntrypoints(true).WithPruneUnused(!q.NoPrune).
		WithOptimizationLevel(q.Optimize).WithCapabilities(caps).WithPartialNamespace("partial").WithRegoVersion(q.regoVersion()).
		WithEnablePrintStatements(target == compile.TargetPlan || target == compile.TargetWasm && q.IncludePrint).
		WithFilter(func(p string, i fs.FileInfo, depth int) bool {
			return !q.Bundle && !i.IsDir() && strings.HasSuffix(p, ".tar.gz") || ignored(p, i, depth)
		})
	if q.Revision != nil {
		c = c.WithRevision(*q.Revision)
	}
	if q.Key != "" {
		c = c.WithBundleSigningConfig(bundle.NewSigningConfig(q.Key, q.Algorithm, "")).WithBundleVerificationKeyID(keyID)
	}
	return c, nil
}

// member takes one file out of a tar.gz that was just written here.
func member(archive []byte, name string) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if err != nil {
			return nil, errors.Join(errors.New(name+" is missing in the bundle"), err)
		}
		if h.Name == name {
			return io.ReadAll(r)
		}
	}
}

// opVerify checks a bundle's signature; the payload is the tar.gz.
func opVerify(_ context.Context, q *request) (*response, error) {
	key, err := keys.NewKeyConfig(q.Key, q.Algorithm, q.Scope)
	if err != nil {
		return nil, err
	}
	config := bundle.NewVerificationConfig(map[string]*bundle.KeyConfig{keyID: key}, keyID, q.Scope, nil)
	b, err := bundle.NewReader(bytes.NewReader(q.payload)).WithBundleVerificationConfig(config).Read()
	if err != nil {
		return nil, err
	}
	return &response{Result: b.Manifest}, nil
}
