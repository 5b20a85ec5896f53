package main

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// memory is a read-only filesystem over the files of a request. Unlike fstest.MapFS it takes names as the
// user wrote them, absolute or with leading dots, because OPA embeds the name as given in what it builds.
type memory struct {
	files map[string][]byte
	dirs  map[string][]fs.DirEntry
}

func newMemory(q *request) *memory {
	m := &memory{files: make(map[string][]byte, len(q.Files)+len(q.Binary)), dirs: map[string][]fs.DirEntry{".": nil}}
	for name, text := range q.Files {
		m.add(path.Clean(name), []byte(text))
	}
	for name, bytes := range q.Binary {
		m.add(path.Clean(name), bytes)
	}
	for _, entries := range m.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return m
}

func (m *memory) add(name string, content []byte) {
	m.files[name] = content
	m.link(name, fs.FileInfoToDirEntry(info{name: path.Base(name), size: int64(len(content))}))
	for dir := path.Dir(name); dir != path.Dir(dir) && path.Base(dir) != ".."; dir = path.Dir(dir) {
		if !m.link(dir, fs.FileInfoToDirEntry(info{name: path.Base(dir), dir: true})) {
			return
		}
	}
}

// link enters a name in its directory and says whether it is new there.
func (m *memory) link(name string, entry fs.DirEntry) bool {
	dir := path.Dir(name)
	known := slices.ContainsFunc(m.dirs[dir], func(e fs.DirEntry) bool { return e.Name() == entry.Name() })
	if !known {
		m.dirs[dir] = append(m.dirs[dir], entry)
	}
	return !known
}

func (m *memory) Stat(name string) (fs.FileInfo, error) {
	name = path.Clean(name)
	if content, ok := m.files[name]; ok {
		return info{name: path.Base(name), size: int64(len(content))}, nil
	}
	if _, ok := m.dirs[name]; ok {
		return info{name: path.Base(name), dir: true}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) ReadDir(name string) ([]fs.DirEntry, error) {
	if entries, ok := m.dirs[path.Clean(name)]; ok {
		return entries, nil
	}
	return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) ReadFile(name string) ([]byte, error) {
	if content, ok := m.files[path.Clean(name)]; ok {
		return content, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) Open(name string) (fs.File, error) {
	content, err := m.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &file{Reader: bytes.NewReader(content), info: info{name: path.Base(name), size: int64(len(content))}}, nil
}

type file struct {
	*bytes.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type info struct {
	name string
	size int64
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
