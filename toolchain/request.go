package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// request is the first line of a call, JSON without a newline; what follows the newline is the payload.
type request struct {
	Op string `json:"op"`

	// Files by the path as the caller gave it, relative or absolute, always with slashes.
	Files  map[string]string `json:"files"`
	Binary map[string][]byte `json:"binary"`
	Paths  []string          `json:"paths"`
	Ignore []string          `json:"ignore"`
	Bundle bool              `json:"bundle"`

	RegoVersion  string            `json:"rego_version"`
	Capabilities json.RawMessage   `json:"capabilities"`
	Schemas      map[string]string `json:"schemas"`
	Strict       bool              `json:"strict"`
	MaxErrors    int               `json:"max_errors"`
	TimeoutMs    int               `json:"timeout_ms"`

	build
	test
	source
	evaluate

	payload []byte
}

// build holds the fields of op build (and the key of op verify).
type build struct {
	Entrypoints  []string `json:"entrypoints"`
	NoPrune      bool     `json:"no_prune"`
	Optimize     int      `json:"optimize"`
	Target       string   `json:"target"`
	Revision     *string  `json:"revision"`
	IncludePrint bool     `json:"wasm_include_print"`
	Key          string   `json:"key"`
	Algorithm    string   `json:"algorithm"`
	Scope        string   `json:"scope"`
}

// test holds the fields of op test; coverage and explain also serve eval.
type test struct {
	Run       string `json:"run"`
	Coverage  bool   `json:"coverage"`
	Verbose   bool   `json:"verbose"`
	VarValues bool   `json:"var_values"`
	Explain   string `json:"explain"`
	JSON      bool   `json:"json"`
}

// source holds the fields of parse and fmt.
type source struct {
	Locations     bool `json:"locations"`
	Compiled      bool `json:"compiled"`
	DropV0Imports bool `json:"drop_v0_imports"`
}

// evaluate holds the fields of eval, prepare, many and release.
type evaluate struct {
	Query               string          `json:"query"`
	Data                json.RawMessage `json:"data"`
	StrictBuiltinErrors bool            `json:"strict_builtin_errors"`
	Handle              int             `json:"handle"`
}

// parseRequest splits a call into its first line and its payload; unknown fields are an error.
func parseRequest(in []byte) (*request, error) {
	head, payload, _ := bytes.Cut(in, []byte("\n"))
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.DisallowUnknownFields()
	q := &request{payload: payload}
	if err := dec.Decode(q); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return q, nil
}

// regoVersion is the syntax that the files are read in; "v0v1" is what both understand (fmt and check only).
func (q *request) regoVersion() ast.RegoVersion {
	switch q.RegoVersion {
	case "v0":
		return ast.RegoV0
	case "v0v1":
		return ast.RegoV0CompatV1
	default:
		return ast.RegoV1
	}
}

// capabilities are those of the request (an object, or the name of an OPA version), else those of this version.
func (q *request) capabilities() (*ast.Capabilities, error) {
	raw := bytes.TrimSpace(q.Capabilities)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return ast.CapabilitiesForThisVersion(ast.CapabilitiesRegoVersion(q.regoVersion())), nil
	}
	if raw[0] != '"' {
		return ast.LoadCapabilitiesJSON(bytes.NewReader(raw))
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return nil, err
	}
	return ast.LoadCapabilitiesVersion(name)
}

// errorLimit is OPA's default of ten unless the request says otherwise.
func (q *request) errorLimit() int {
	if q.MaxErrors > 0 {
		return q.MaxErrors
	}
	return ast.CompileErrorLimitDefault
}
