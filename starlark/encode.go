package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

var (
	errNotData  = errors.New("not data")
	errTooLarge = errors.New("too large")
	errTooDeep  = errors.New("nested too deep")
	errCycle    = errors.New("nested in itself")
)

// Integers beyond this are not exact in every JSON reader.
const maxSafeInteger = 1<<53 - 1

// encoder writes data as JSON, within limits. `exact` refuses what JSON cannot say as it is; without it such values are written in
// the form that docs/starlark.md names.
type encoder struct {
	bytes, depth, nodes int
	exact               bool
	buffer              []byte
	open                []starlark.Value
}

func (e *encoder) value(value starlark.Value) error {
	if e.nodes--; e.nodes < 0 {
		return errTooLarge
	}
	switch value := value.(type) {
	case starlark.NoneType:
		return e.raw("null")
	case starlark.Bool:
		if value {
			return e.raw("true")
		}
		return e.raw("false")
	case starlark.Int:
		return e.integer(value)
	case starlark.Float:
		return e.float(float64(value))
	case starlark.String:
		return e.text(string(value))
	case starlark.Bytes:
		return e.base64(string(value))
	case *starlark.Dict:
		return e.within(value, func() error { return e.dict(value) })
	case *starlark.Set:
		if !e.exact {
			return e.within(value, func() error { return e.set(value) })
		}
	case *starlark.List, starlark.Tuple:
		return e.within(value, func() error { return e.sequence(value.(starlark.Indexable)) })
	}
	if numbers, isIndexable := value.(starlark.Indexable); isIndexable && value.Type() == "range" {
		return e.within(value, func() error { return e.sequence(numbers) })
	}
	if e.exact {
		return fmt.Errorf("a value of type `%s` cannot be passed", value.Type())
	}
	return errNotData
}

func (e *encoder) raw(text string) error {
	if len(e.buffer)+len(text) > e.bytes {
		return errTooLarge
	}
	e.buffer = append(e.buffer, text...)
	return nil
}

func (e *encoder) integer(value starlark.Int) error {
	if number, fits := value.Int64(); fits && number >= -maxSafeInteger && number <= maxSafeInteger {
		return e.raw(value.String())
	}
	if e.exact {
		return errors.New("an integer beyond 2^53 cannot be passed")
	}
	// Three bits make less than one digit: the digits are not made when they cannot fit.
	if value.BigInt().BitLen() > 4*e.bytes {
		return errTooLarge
	}
	return e.raw(`"` + value.String() + `"`)
}

func (e *encoder) float(value float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		if e.exact {
			return errors.New("a float that is not finite cannot be passed")
		}
		return e.raw(`"` + starlark.Float(value).String() + `"`)
	}
	return e.marshalled(value)
}

func (e *encoder) text(value string) error {
	if len(value) > e.bytes {
		return errTooLarge
	}
	if e.exact && !utf8.ValidString(value) {
		return errors.New("a string that is not UTF-8 cannot be passed")
	}
	return e.marshalled(value)
}

func (e *encoder) base64(value string) error {
	if e.exact {
		return errors.New("a value of type `bytes` cannot be passed")
	}
	if len(value) > e.bytes {
		return errTooLarge
	}
	return e.marshalled(base64.StdEncoding.EncodeToString([]byte(value)))
}

func (e *encoder) marshalled(value any) error {
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		return err
	}
	return e.raw(strings.TrimSuffix(text.String(), "\n"))
}

// within guards the inside of a container against depth and cycles.
func (e *encoder) within(container starlark.Value, inside func() error) error {
	if _, isTuple := container.(starlark.Tuple); !isTuple && container.Type() != "range" && slices.Contains(e.open, container) {
		return errCycle
	}
	if len(e.open) >= e.depth {
		return errTooDeep
	}
	e.open = append(e.open, container)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	return inside()
}

func (e *encoder) sequence(items starlark.Indexable) error {
	return e.list(items.Len(), func(index int) error { return e.value(items.Index(index)) })
}

func (e *encoder) list(length int, item func(int) error) error {
	if err := e.raw("["); err != nil {
		return err
	}
	for index := range length {
		if index > 0 {
			if err := e.raw(","); err != nil {
				return err
			}
		}
		if err := item(index); err != nil {
			return err
		}
	}
	return e.raw("]")
}
