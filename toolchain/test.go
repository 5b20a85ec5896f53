package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// suite is what one test run works on.
type suite struct {
	modules map[string]*ast.Module
	bundles map[string]*bundle.Bundle
	store   storage.Store
}

// outcome is one test; its identity is file and row, since OPA numbers equal names in random order.
type outcome struct {
	Package    string       `json:"package"`
	Name       string       `json:"name"`
	Location   *place       `json:"location"`
	Status     string       `json:"status"`
	Error      []problem    `json:"error,omitempty"`
	Output     string       `json:"output,omitempty"`
	DurationNs int64        `json:"duration_ns"`
	Trace      string       `json:"trace,omitempty"`
	SubResults []subOutcome `json:"sub_results,omitempty"`
}

type subOutcome struct {
	Path   []string `json:"path"`
	Status string   `json:"status"`
	Leaf   bool     `json:"leaf"`
}

// opTest is `opa test`: the results, OPA's own text of them, as the payload when it is JSON, and on request the coverage.
func opTest(ctx context.Context, q *request) (*response, error) {
	s, err := loadSuite(q)
	if err != nil {
		return nil, err
	}
	var counted *cover.Cover
	if q.Coverage {
		counted = cover.New()
	}
	results, err := s.run(ctx, q, &yielder{counted: counted})
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"tests": outcomes(results)}
	out := &response{Result: answer}
	var text bytes.Buffer
	if q.JSON {
		err = report(tester.JSONReporter{Output: &text}, results)
		out.payload = text.Bytes()
	} else {
		err = report(tester.PrettyReporter{Output: &text, Verbose: q.Verbose, FailureLine: q.VarValues, LocalVars: q.VarValues}, results)
		answer["pretty"] = text.String()
	}
	if err != nil {
		return nil, err
	}
	if q.Coverage && !slices.ContainsFunc(results, func(r *tester.Result) bool { return r.Fail || r.Error != nil }) {
		c, err := s.coverage(ctx, q, counted)
		if err != nil {
			return nil, err
		}
		answer["coverage"] = c
	}
	return out, nil
}

// coverage gives the report. Only a run with OPA's own tracer says of what kind the gaps are, and it has no place for
// ours that makes time limits work; so it comes second, when there are gaps and when it is known that every test ends.
func (s *suite) coverage(ctx context.Context, q *request, counted *cover.Cover) (*cover.Report, error) {
	report := counted.Report(s.sources())
	if !slices.ContainsFunc(slices.Collect(maps.Values(report.Files)), func(f *cover.FileReport) bool { return len(f.NotCovered) > 0 }) {
		return &report, nil
	}
	c := cover.New()
	if _, err := s.run(ctx, q, c); err != nil {
		return nil, err
	}
	report = c.Report(s.sources())
	return &report, nil
}

func loadSuite(q *request) (*suite, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	if q.Bundle {
		bundles, err := loadBundles(q, caps)
		return &suite{bundles: bundles, store: inmem.NewWithOpts(inmem.OptRoundTripOnWrite(false))}, err
	}
	l, err := fileLoader(q, caps).Filtered(q.paths(), ignoring(q))
	if err != nil {
		return nil, err
	}
	modules := make(map[string]*ast.Module, len(l.Modules))
	for _, m := range l.Modules {
		modules[m.Name] = m.Parsed
	}
	return &suite{modules: modules, store: inmem.NewFromObject(l.Documents)}, nil
}

// sources are the modules that coverage is counted over.
func (s *suite) sources() map[string]*ast.Module {
	all := maps.Clone(s.modules)
	if all == nil {
		all = map[string]*ast.Module{}
	}
	for name, b := range s.bundles {
		maps.Copy(all, b.ParsedModules(name))
	}
	return all
}

// run compiles and runs every test once, sorted by place.
func (s *suite) run(ctx context.Context, q *request, tracer topdown.QueryTracer) ([]*tester.Result, error) {
	txn, err := s.store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return nil, err
	}
	defer s.store.Abort(ctx, txn)
	compiler, err := s.compiler(ctx, q, txn)
	if err != nil {
		return nil, err
	}
	_, covers := tracer.(*cover.Cover)
	runner := tester.NewRunner().SetCompiler(compiler).SetStore(s.store).SetModules(s.modules).SetBundles(s.bundles).
		CapturePrintOutput(true).EnableTracing(!covers && (q.Verbose || q.VarValues || q.Explain != "")).StackTraces(true).
		SetCoverageQueryTracer(tracer).SetRuntime(ast.ObjectTerm()).SetParallel(1).Filter(q.Run).
		SetTimeout(time.Duration(cmp.Or(q.TimeoutMs, 5000)) * time.Millisecond)
	channel, err := runner.RunTests(ctx, txn)
	if err != nil {
		return nil, err
	}
	var results []*tester.Result
	for r := range channel {
		r.Trace = explained(q.Explain, q.Verbose, r.Trace)
		shed(q, r)
		results = append(results, r)
	}
	settle(results)
	return results, nil
}

func (s *suite) compiler(ctx context.Context, q *request, txn storage.Transaction) (*ast.Compiler, error) {
	caps, err := q.capabilities()
	if err != nil {
		return nil, err
	}
	schemas, err := schemaSet(q)
	if err != nil {
		return nil, err
	}
	return ast.NewCompiler().SetErrorLimit(q.errorLimit()).WithPathConflictsCheck(storage.NonEmpty(ctx, s.store, txn)).
		WithEnablePrintStatements(true).WithCapabilities(caps).WithSchemas(schemas).WithUseTypeCheckAnnotations(true).
		WithRewriteTestRules(q.VarValues), nil
}

// settle sorts by place and gives equal names their numbers in that order, so that two runs say the same.
func settle(results []*tester.Result) {
	slices.SortFunc(results, func(a, b *tester.Result) int {
		return cmp.Or(cmp.Compare(a.Location.File, b.Location.File), cmp.Compare(a.Location.Row, b.Location.Row), cmp.Compare(a.Location.Col, b.Location.Col))
	})
	seen := map[string]int{}
	for _, r := range results {
		name, _, _ := strings.Cut(r.Name, "#")
		key := r.Package + "." + name
		if n := seen[key]; n > 0 {
			name = fmt.Sprintf("%s#%02d", name, n)
		}
		seen[key]++
		r.Name = name
	}
}

// shed drops the events that nothing will show: those of all tests of a repository together do not fit into memory.
// The text has events of failures alone, and those of single cases only beside the values of variables.
func shed(q *request, r *tester.Result) {
	if r.Pass() && !q.JSON {
		r.Trace = nil
	}
	for _, sub := range r.SubResults.Iter {
		if r.Pass() || !q.VarValues {
			sub.Trace = nil
		}
	}
}

func report(r tester.Reporter, results []*tester.Result) error {
	channel := make(chan *tester.Result, len(results))
	for _, result := range results {
		channel <- result
	}
	close(channel)
	return r.Report(channel)
}

func outcomes(results []*tester.Result) []outcome {
	out := make([]outcome, 0, len(results))
	for _, r := range results {
		o := outcome{Package: r.Package, Name: r.Name, Location: placeOf(r.Location), Status: status(r), Output: string(r.Output), DurationNs: int64(r.Duration)}
		if r.Error != nil {
			o.Error = problems(r.Error)
		}
		if !r.Pass() && len(r.Trace) > 0 {
			var b bytes.Buffer
			topdown.PrettyTraceWithLocation(&b, r.Trace)
			o.Trace = b.String()
		}
		for path, sub := range r.SubResults.Iter {
			o.SubResults = append(o.SubResults, subOutcome{path, passOrFail(sub.Fail), len(sub.SubResults) == 0})
		}
		out = append(out, o)
	}
	return out
}

func status(r *tester.Result) string {
	switch {
	case r.Skip:
		return "skip"
	case r.Error == nil:
		return passOrFail(r.Fail)
	default:
		return "error"
	}
}

func passOrFail(failed bool) string {
	if failed {
		return "fail"
	}
	return "pass"
}
