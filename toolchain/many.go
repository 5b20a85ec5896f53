package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// prepared queries by handle; numbers are never used twice in an instance.
var (
	handles = map[int]*query{}
	last    int
)

// opPrepare compiles a query once and answers with a handle for opMany.
func opPrepare(ctx context.Context, q *request) (*response, error) {
	p, err := prepareQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	last++
	handles[last] = p
	return &response{Result: last}, nil
}

// opRelease forgets a handle; an unknown one is forgotten already.
func opRelease(_ context.Context, q *request) (*response, error) {
	delete(handles, q.Handle)
	return &response{Result: len(handles)}, nil
}

// opMany evaluates a prepared query for each line of the payload: one line back for each, `{"result":…}`,
// `{}` for undefined, or `{"error":…}`. All share one read transaction.
func opMany(ctx context.Context, q *request) (*response, error) {
	p := handles[q.Handle]
	if p == nil {
		return nil, fmt.Errorf("no prepared query %d", q.Handle)
	}
	txn, err := p.store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer p.store.Abort(ctx, txn)
	out := []byte{}
	lines := 0
	for line := range bytes.SplitSeq(q.payload, []byte("\n")) {
		answer, err := marshal(one(ctx, q, p, line, rego.EvalTransaction(txn)))
		if err != nil {
			return nil, err
		}
		out = append(append(out, answer...), '\n')
		if lines++; lines&15 == 0 {
			// The collector gets a turn only here; without it memory grows tenfold (docs/toolchain.md).
			runtime.Gosched()
		}
	}
	return &response{Result: lines, payload: out}, nil
}

func one(ctx context.Context, q *request, p *query, line []byte, txn rego.EvalOption) map[string]any {
	input, err := ast.ValueFromReader(bytes.NewReader(line))
	if err != nil {
		return map[string]any{"error": "input: " + err.Error()}
	}
	set, err := p.Eval(ctx, txn, rego.EvalParsedInput(input), rego.EvalExternalCancel(q.deadline()))
	switch {
	case err != nil:
		return map[string]any{"error": err.Error()}
	case len(set) == 0:
		return map[string]any{}
	default:
		return map[string]any{"result": set[0].Expressions[0].Value}
	}
}
