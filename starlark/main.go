// Command starlark evaluates one Starlark program as a WebAssembly reactor (docs/starlark.md). The host calls `eval` once per
// instance; everything that goes in or out is UTF-8 JSON and moves only inside the calls that this side makes. There is no
// filesystem, no network and no clock.
package main

import (
	"encoding/json"
	"fmt"
)

//go:wasmexport eval
func eval() {
	put(encoded(answer(request())))
}

// answer turns a panic of the interpreter into an error: the host decides what of it the agent may read.
func answer(request []byte) (out response) {
	defer func() {
		if thrown := recover(); thrown != nil {
			out = response{Panic: fmt.Sprint(thrown)}
		}
	}()
	var in program
	if err := json.Unmarshal(request, &in); err != nil {
		return response{Panic: "request: " + err.Error()}
	}
	return in.run()
}

func encoded(out response) []byte {
	bytes, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return bytes
}

func main() {}
