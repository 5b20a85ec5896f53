package main

import (
	"runtime"

	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/lineage"
)

// yielder is a tracer that gives the scheduler a turn now and then: there is one thread and no preemption, so
// without it the timer of a test's time limit never fires. It hands each event on to the coverage, if that is wanted.
type yielder struct {
	counted *cover.Cover
	events  int
}

func (*yielder) Enabled() bool               { return true }
func (*yielder) Config() topdown.TraceConfig { return topdown.TraceConfig{} }
func (y *yielder) TraceEvent(e topdown.Event) {
	if y.counted != nil {
		y.counted.TraceEvent(e)
	}
	if y.events++; y.events&1023 == 0 {
		runtime.Gosched()
	}
}

// explained filters a trace as --explain does; with no mode and verbose output, notes and failures stay.
func explained(mode string, verbose bool, trace []*topdown.Event) []*topdown.Event {
	switch mode {
	case "full":
		return lineage.Full(trace)
	case "notes":
		return lineage.Notes(trace)
	case "fails":
		return lineage.Fails(trace)
	case "debug":
		return lineage.Debug(trace)
	}
	if !verbose {
		return nil
	}
	return lineage.Filter(trace, func(e *topdown.Event) bool { return e.Op == topdown.NoteOp || e.Op == topdown.FailOp })
}
