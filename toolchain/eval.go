package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/util"
)

// deadline is a topdown.Cancel that reads the clock every 256 steps: no timer can interrupt one thread.
type deadline struct {
	steps uint
	at    time.Time
	done  bool
}

func (d *deadline) Cancel() { d.done = true }

func (d *deadline) Cancelled() bool {
	if d.steps++; !d.done && d.steps&255 == 0 {
		d.done = time.Now().After(d.at)
	}
	return d.done
}

func (q *request) deadline() *deadline {
	return &deadline{at: time.Now().Add(time.Duration(cmp.Or(q.TimeoutMs, 5000)) * time.Millisecond)}
}

// query is a prepared query with the store that it reads.
type query struct {
	rego.PreparedEvalQuery
	store   storage.Store
	modules map[string]*ast.Module
}

func prepareQuery(ctx context.Context, q *request) (*query, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	schemas, err := schemaSet(q)
	if err != nil {
		return nil, err
	}
	modules, documents, err := evaluated(q, caps)
	if err != nil {
		return nil, err
	}
	c := ast.NewCompiler().SetErrorLimit(q.errorLimit()).WithCapabilities(caps).WithSchemas(schemas).
		WithEnablePrintStatements(true).WithStrict(q.Strict).WithUseTypeCheckAnnotations(true)
	if c.Compile(modules); c.Failed() {
		return nil, c.Errors
	}
	store := inmem.NewFromObjectWithOpts(documents, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))
	prepared, err := rego.New(rego.Query(q.Query), rego.Compiler(c), rego.Store(store), rego.Capabilities(caps),
		rego.StrictBuiltinErrors(q.StrictBuiltinErrors), rego.Runtime(ast.ObjectTerm())).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	return &query{prepared, store, modules}, nil
}

// evaluated gives modules and data of the files; `data` of the request replaces keys of the data files.
func evaluated(q *request, caps *ast.Capabilities) (map[string]*ast.Module, map[string]any, error) {
	modules, documents := map[string]*ast.Module{}, map[string]any{}
	if len(q.Files)+len(q.Binary) > 0 {
		l, err := fileLoader(q, caps).Filtered(q.paths(), ignoring(q))
		if err != nil {
			return nil, nil, err
		}
		modules, documents = l.ParsedModules(), l.Documents
	}
	if len(q.Data) > 0 {
		if err := util.UnmarshalJSON(q.Data, &documents); err != nil {
			return nil, nil, err
		}
	}
	return modules, documents, nil
}

// opEval evaluates a query once; the payload, if there is one, is the input.
func opEval(ctx context.Context, q *request) (*response, error) {
	prepared, err := prepareQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	options := []rego.EvalOption{rego.EvalExternalCancel(q.deadline()), rego.EvalPrintHook(topdown.NewPrintHook(&printed))}
	if len(bytes.TrimSpace(q.payload)) > 0 {
		input, err := ast.ValueFromReader(bytes.NewReader(q.payload))
		if err != nil {
			return nil, err
		}
		options = append(options, rego.EvalParsedInput(input))
	}
	var trace *topdown.BufferTracer
	if q.Explain != "" {
		trace = topdown.NewBufferTracer()
		options = append(options, rego.EvalQueryTracer(trace))
	}
	covered := cover.New()
	if q.Coverage {
		options = append(options, rego.EvalQueryTracer(covered))
	}
	set, err := prepared.Eval(ctx, options...)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = rego.ResultSet{}
	}
	answer := map[string]any{"result": set, "output": printed.String()}
	if trace != nil {
		var b bytes.Buffer
		topdown.PrettyTraceWithLocation(&b, explained(q.Explain, false, *trace))
		answer["explanation"] = b.String()
	}
	if q.Coverage {
		answer["coverage"] = covered.Report(prepared.modules)
	}
	return &response{Result: answer}, nil
}

// marshal is json.Marshal without HTML escapes and without the newline of an encoder.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
