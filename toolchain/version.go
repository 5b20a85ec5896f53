package main

import (
	"context"
	"runtime"

	"github.com/open-policy-agent/opa/v1/version"
)

func opVersion(context.Context, *request) (*response, error) {
	return &response{Result: map[string]string{"opa": version.Version, "go": runtime.Version()}}, nil
}

// opCapabilities answers with what this version knows, or with a named older version's file.
func opCapabilities(_ context.Context, q *request) (*response, error) {
	caps, err := q.capabilities()
	return &response{Result: caps}, err
}
