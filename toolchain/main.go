// Command toolchain is OPA's compiler, checker, tester, formatter and interpreter as one WebAssembly
// reactor: the host writes a request into memory, calls tc_call and reads the answer. There is no
// filesystem and no network; files travel in the request. See docs/toolchain.md.
package main

import (
	_ "time/tzdata"
	"unsafe"
)

// The two buffers are globals because their addresses are the interface: one call at a time.
var inBuf, outBuf []byte

//go:wasmexport tc_alloc
func tcAlloc(n uint32) unsafe.Pointer {
	inBuf = make([]byte, n)
	return unsafe.Pointer(unsafe.SliceData(inBuf))
}

//go:wasmexport tc_call
func tcCall() uint32 {
	in := inBuf
	inBuf = nil
	outBuf = answer(in)
	return uint32(len(outBuf))
}

//go:wasmexport tc_out
func tcOut() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(outBuf)) }

//go:wasmexport tc_free
func tcFree() { inBuf, outBuf = nil, nil }

func main() {}
