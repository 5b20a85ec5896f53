package main

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// dict writes an object when every key is a string, else a list of pairs: as object keys, `1` and `"1"` would be one.
func (e *encoder) dict(dict *starlark.Dict) error {
	if dict.Len() > e.nodes {
		return errTooLarge
	}
	items := dict.Items()
	if slices.ContainsFunc(items, func(item starlark.Tuple) bool { return !isText(item[0]) }) {
		return e.list(len(items), func(index int) error { return e.value(items[index]) })
	}
	return e.object(len(items), func(index int) (string, starlark.Value) {
		return string(items[index][0].(starlark.String)), items[index][1]
	})
}

func isText(value starlark.Value) bool {
	_, isString := value.(starlark.String)
	return isString
}

func (e *encoder) object(length int, item func(int) (string, starlark.Value)) error {
	if err := e.raw("{"); err != nil {
		return err
	}
	for index := range length {
		if index > 0 {
			if err := e.raw(","); err != nil {
				return err
			}
		}
		key, value := item(index)
		if err := e.text(key); err != nil {
			return err
		}
		if err := e.raw(":"); err != nil {
			return err
		}
		if err := e.value(value); err != nil {
			return err
		}
	}
	return e.raw("}")
}

// set writes a sorted list: the order in which members came into a set is no part of its value.
func (e *encoder) set(set *starlark.Set) error {
	if set.Len() > e.nodes {
		return errTooLarge
	}
	members := slices.Collect(set.Elements())
	if !sortByValue(members) {
		sortByText(members)
	}
	return e.list(len(members), func(index int) error { return e.value(members[index]) })
}

// sortByValue tells whether all members could be compared.
func sortByValue(members []starlark.Value) bool {
	comparable := true
	less := func(a, b starlark.Value) bool {
		before, err := starlark.Compare(syntax.LT, a, b)
		comparable = comparable && err == nil
		return before
	}
	slices.SortFunc(members, func(a, b starlark.Value) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	return comparable
}

func sortByText(members []starlark.Value) {
	slices.SortFunc(members, func(a, b starlark.Value) int {
		return strings.Compare(a.Type()+" "+a.String(), b.Type()+" "+b.String())
	})
}
