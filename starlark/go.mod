module regate.dev/starlark

go 1.26.0

toolchain go1.26.8

require go.starlark.net v0.0.0-20260630144053-529d8e869a14

require golang.org/x/sys v0.42.0 // indirect
