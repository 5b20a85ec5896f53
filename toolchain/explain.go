package main

import (
	"bytes"
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// maxAttempts bounds an explanation; a policy that iterates over much data has more than anyone reads.
const maxAttempts, maxValues = 2000, 64

// condition is one expression of a body as its author wrote it: what the compiler made of it counts as one.
type condition struct {
	File string `json:"file"`
	Row  int    `json:"row"`
	Col  int    `json:"col"`
	// Refs are the rules that the expression asks.
	Refs    []string `json:"refs,omitempty"`
	Negated bool     `json:"negated,omitempty"`
	Failed  bool     `json:"failed,omitempty"`
}

// attempt is one try of a rule, or of a body inside one (negation, comprehension).
type attempt struct {
	// Rule is the path of a rule; empty for a body.
	Rule string `json:"rule,omitempty"`
	File string `json:"file,omitempty"`
	Row  int    `json:"row,omitempty"`
	// Parent is the attempt that tried this one, and Condition the expression there; -1 for the query.
	Parent     int          `json:"parent"`
	Condition  int          `json:"condition"`
	Held       bool         `json:"held"`
	Values     []any        `json:"values,omitempty"`
	Conditions []*condition `json:"conditions,omitempty"`

	rule *ast.Rule
	// places finds a condition by where its expression begins; now is the one being tried.
	places map[int]int
	now    int
}

// explainer is a tracer that keeps which expressions of which rules failed.
type explainer struct {
	attempts  []*attempt
	byQuery   map[uint64]int
	starts    map[string][]*ast.Expr
	truncated bool
}

func (*explainer) Enabled() bool               { return true }
func (*explainer) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (x *explainer) TraceEvent(e topdown.Event) {
	switch e.Op {
	case topdown.EnterOp:
		x.enter(&e)
	case topdown.ExitOp:
		x.exit(&e)
	case topdown.EvalOp, topdown.RedoOp:
		x.at(&e)
	case topdown.FailOp:
		if c := x.at(&e); c != nil {
			c.Failed = true
		}
	}
}

func (x *explainer) enter(e *topdown.Event) {
	if len(x.attempts) >= maxAttempts {
		x.truncated = true
		return
	}
	a := &attempt{Parent: -1, Condition: -1, places: map[int]int{}, now: -1}
	if i, ok := x.byQuery[e.ParentID]; ok && e.ParentID != e.QueryID {
		a.Parent, a.Condition = i, x.attempts[i].now
	}
	if rule, ok := e.Node.(*ast.Rule); ok {
		a.rule, a.Rule = rule, rule.Path().String()
		if rule.Location != nil {
			a.File, a.Row = rule.Location.File, rule.Location.Row
		}
	}
	x.byQuery[e.QueryID] = len(x.attempts)
	x.attempts = append(x.attempts, a)
}

func (x *explainer) exit(e *topdown.Event) {
	i, ok := x.byQuery[e.QueryID]
	if !ok {
		return
	}
	a := x.attempts[i]
	a.Held = true
	if a.rule == nil || a.rule.Head.Key == nil || len(a.Values) >= maxValues {
		return
	}
	if value, err := ast.JSON(e.Plug(a.rule.Head.Key).Value); err == nil {
		a.Values = append(a.Values, value)
	}
}

// at finds the condition that an event is about.
func (x *explainer) at(e *topdown.Event) *condition {
	expr, isExpr := e.Node.(*ast.Expr)
	i, known := x.byQuery[e.QueryID]
	if !isExpr || !known || expr.Location == nil {
		return nil
	}
	a, written := x.attempts[i], x.written(expr.Location)
	if written == nil {
		return nil
	}
	j, ok := a.places[written.Location.Offset]
	if !ok {
		j = len(a.Conditions)
		a.places[written.Location.Offset] = j
		l := written.Location
		a.Conditions = append(a.Conditions, &condition{File: l.File, Row: l.Row, Col: l.Col, Negated: written.Negated})
	}
	a.now = j
	for _, ref := range rulesIn(expr) {
		a.Conditions[j].add(ref)
	}
	return a.Conditions[j]
}

func (c *condition) add(ref string) {
	for _, known := range c.Refs {
		if known == ref {
			return
		}
	}
	c.Refs = append(c.Refs, ref)
}

// written is the expression in the source to which one of the compiler's belongs: the last that begins before it ends.
func (x *explainer) written(at *ast.Location) (found *ast.Expr) {
	for _, expr := range x.starts[at.File] {
		if expr.Location.Offset <= at.Offset && (found == nil || expr.Location.Offset > found.Location.Offset) {
			found = expr
		}
	}
	return found
}

// rulesIn lists the references to rules or data, as far as they are known before evaluation.
func rulesIn(expr *ast.Expr) (refs []string) {
	ast.WalkRefs(expr, func(ref ast.Ref) bool {
		if ref.HasPrefix(ast.DefaultRootRef) {
			refs = append(refs, ref.GroundPrefix().String())
		}
		return false
	})
	return refs
}

// writtenIn lists the expressions of all rule bodies by file: those of bodies inside an expression belong to that expression.
func writtenIn(modules map[string]*ast.Module) map[string][]*ast.Expr {
	starts := map[string][]*ast.Expr{}
	for _, module := range modules {
		for _, rule := range module.Rules {
			for r := rule; r != nil; r = r.Else {
				for _, expr := range r.Body {
					if expr.Location != nil {
						starts[expr.Location.File] = append(starts[expr.Location.File], expr)
					}
				}
			}
		}
	}
	return starts
}

// opExplain evaluates a query once and tells which rules were tried and which of their expressions failed. Rules are not
// skipped by their index and no evaluation ends early: what cannot hold is tried too.
func opExplain(ctx context.Context, q *request) (*response, error) {
	prepared, err := prepareQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	tracer := &explainer{byQuery: map[uint64]int{}, starts: writtenIn(prepared.modules)}
	options := []rego.EvalOption{
		rego.EvalExternalCancel(q.deadline()), rego.EvalQueryTracer(tracer), rego.EvalRuleIndexing(false), rego.EvalEarlyExit(false),
	}
	if len(bytes.TrimSpace(q.payload)) > 0 {
		input, err := ast.ValueFromReader(bytes.NewReader(q.payload))
		if err != nil {
			return nil, err
		}
		options = append(options, rego.EvalParsedInput(input))
	}
	set, err := prepared.Eval(ctx, options...)
	if err != nil {
		return nil, err
	}
	if set == nil {
		set = rego.ResultSet{}
	}
	return &response{Result: map[string]any{"result": set, "attempts": tracer.attempts, "truncated": tracer.truncated}}, nil
}
