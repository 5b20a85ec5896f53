package main

import "unsafe"

//go:wasmimport regate request_size
func requestSize() uint32

//go:wasmimport regate request_read
func requestRead(to unsafe.Pointer)

//go:wasmimport regate host_call
func hostCall(at unsafe.Pointer, size uint32) uint32

//go:wasmimport regate host_reply_read
func hostReplyRead(to unsafe.Pointer)

//go:wasmimport regate result
func result(at unsafe.Pointer, size uint32)

func request() []byte {
	bytes := make([]byte, requestSize())
	requestRead(unsafe.Pointer(unsafe.SliceData(bytes)))
	return bytes
}

func put(bytes []byte) {
	result(unsafe.Pointer(unsafe.SliceData(bytes)), uint32(len(bytes)))
}

// ask sends one request to the host and waits for its reply. A refused call never returns: the host ends this thread.
func ask(bytes []byte) []byte {
	reply := make([]byte, hostCall(unsafe.Pointer(unsafe.SliceData(bytes)), uint32(len(bytes))))
	hostReplyRead(unsafe.Pointer(unsafe.SliceData(reply)))
	return reply
}
