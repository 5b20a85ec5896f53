package main

import (
	"errors"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// problem is one error with the place it is about.
type problem struct {
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Location *place   `json:"location,omitempty"`
	Details  []string `json:"details,omitempty"`
}

type place struct {
	File string `json:"file"`
	Row  int    `json:"row"`
	Col  int    `json:"col"`
}

// failure keeps both forms: the list that a program reads, and the text as OPA words it.
func failure(err error) *response {
	return &response{Errors: problems(err), Text: err.Error()}
}

// problems unwraps OPA's lists of errors. An evaluation error comes before the parser's: a failing
// rego.parse_module carries both, and its own code is the one that counts.
func problems(err error) []problem {
	if te, ok := errors.AsType[*topdown.Error](err); ok {
		return []problem{{Code: te.Code, Message: te.Message, Location: placeOf(te.Location)}}
	}
	if le, ok := errors.AsType[loader.Errors](err); ok {
		return flatten(le)
	}
	if ae, ok := errors.AsType[ast.Errors](err); ok {
		return flatten(ae)
	}
	if re, ok := errors.AsType[rego.Errors](err); ok {
		return flatten(re)
	}
	if ae, ok := errors.AsType[*ast.Error](err); ok {
		p := problem{Code: ae.Code, Message: ae.Message, Location: placeOf(ae.Location)}
		if ae.Details != nil {
			p.Details = ae.Details.Lines()
		}
		return []problem{p}
	}
	return []problem{{Code: "error", Message: strings.TrimSpace(err.Error())}}
}

func flatten[E error](list []E) []problem {
	var out []problem
	for _, e := range list {
		out = append(out, problems(e)...)
	}
	return out
}

func placeOf(l *ast.Location) *place {
	if l == nil {
		return nil
	}
	return &place{l.File, l.Row, l.Col}
}
