package main

import (
	"strings"
	"unicode/utf8"
)

// printer keeps what a script prints, up to a limit; what is over it is dropped before it takes any memory.
type printer struct {
	limit     int
	kept      strings.Builder
	truncated bool
}

func (p *printer) print(text string) {
	if p.truncated {
		return
	}
	room := p.limit - p.kept.Len()
	if len(text) < room {
		p.kept.WriteString(text)
		p.kept.WriteByte('\n')
		return
	}
	p.truncated = true
	p.kept.WriteString(wholeRunes(text[:min(room, len(text))]))
}

func (p *printer) text() string { return strings.ToValidUTF8(p.kept.String(), "\ufffd") }

// wholeRunes takes away a character that was cut at the end.
func wholeRunes(text string) string {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if tail := text[len(text)-cut:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return text[:len(text)-cut]
			}
			break
		}
	}
	return text
}
