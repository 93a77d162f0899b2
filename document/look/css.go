package look

import (
	"context"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/document/format"
)

// A Property is one declaration of a style sheet.
type Property struct {
	Name, Value string
	Important   bool
}

// lookProperties are the properties that may hide, separate, replace or generate text.
var lookProperties = format.Names("display", "visibility", "opacity", "color", "-webkit-text-fill-color", "background", "background-color",
	"background-image", "font-size", "font", "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path",
	"offset-path", "fill", "fill-opacity", "stroke", "overflow", "width", "height", "max-width", "max-height", "transform", "filter", "translate", "scale", "inset", "zoom", "mask", "mask-image",
	"-webkit-mask", "-webkit-mask-image", "content-visibility", "letter-spacing", "word-spacing", "direction", "unicode-bidi", "content", "float",
	"margin", "margin-right", "padding", "padding-left", "padding-right", "border", "border-left", "border-right", "min-width",
	"quotes", "list-style", "list-style-type", "counter-reset", "counter-increment", "counter-set", "text-overflow", "hyphenate-character",
	"text-emphasis", "text-emphasis-style", "vertical-align", "rotate", "mix-blend-mode", "font-size-adjust", "-webkit-text-security",
	"animation", "animation-name", "animation-duration", "animation-delay", "animation-iteration-count", "animation-fill-mode", "animation-play-state", "animation-direction", "animation-timeline", "order", "grid-row", "grid-row-start", "grid-column", "grid-column-start", "grid-area")

// physical maps properties for directions of writing to those for horizontal lines from left to right.
var physical = map[string]string{
	"inline-size": "width", "block-size": "height", "max-inline-size": "max-width", "max-block-size": "max-height", "min-inline-size": "min-width",
	"inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top", "inset-block-end": "bottom", "inset-inline": "left", "inset-block": "top",
	"margin-inline-start": "margin-left", "margin-inline-end": "margin-right", "margin-block-start": "margin-top", "margin-inline": "margin-left", "margin-block": "margin-top",
	"padding-inline-start": "padding-left", "padding-inline-end": "padding-right", "-webkit-transform": "transform",
}

// Properties parses declarations and returns those that may hide text.
func Properties(text string) []Property {
	return newReader(context.Background(), text).declarations()
}

// A reader tokenizes CSS. It closes open blocks where the standard requires it, so that an
// invalid sheet hides the same text as in a browser.
type reader struct {
	pulse *format.Pulse
	lexer *css.Lexer
	err   error // error of the context
}

func newReader(ctx context.Context, text string) *reader {
	return &reader{pulse: format.NewPulse(ctx), lexer: css.NewLexer(parse.NewInputString(strings.ToLower(text)))}
}

// next returns the next token that is not a comment; ErrorToken at the end.
func (r *reader) next() (css.TokenType, []byte) {
	for {
		if r.err = r.pulse.Err(); r.err != nil {
			return css.ErrorToken, nil
		}
		switch t, data := r.lexer.Next(); t {
		case css.CommentToken, css.CDOToken, css.CDCToken:
		default:
			return t, data
		}
	}
}

// closers maps opening tokens to closing tokens.
var closers = map[css.TokenType]css.TokenType{
	css.LeftBraceToken: css.RightBraceToken, css.LeftBracketToken: css.RightBracketToken,
	css.LeftParenthesisToken: css.RightParenthesisToken, css.FunctionToken: css.RightParenthesisToken,
}

// maxHead limits the length of a selector list and of a skipped block, in bytes.
const maxHead = 1 << 16

// skip skips to the end of the open block and of all blocks nested in it, and returns the start of
// its text.
func (r *reader) skip(closer css.TokenType) string {
	var b strings.Builder
	open := []css.TokenType{closer}
	for len(open) > 0 {
		t, data := r.next()
		if t == css.ErrorToken {
			break
		}
		if t == open[len(open)-1] {
			open = open[:len(open)-1]
		} else if inner, ok := closers[t]; ok {
			open = append(open, inner)
		}
		if len(open) > 0 && b.Len() < maxHead {
			b.Write(data)
		}
	}
	return b.String()
}

// head reads the text before a block or a semicolon and returns it with the token that ended
// it, which may be the end of the enclosing block if within is set.
func (r *reader) head(within bool) (string, css.TokenType) {
	var b strings.Builder
	var open []css.TokenType
	for {
		t, data := r.next()
		if n := len(open); n > 0 && t == open[n-1] {
			open = open[:n-1]
		} else if closer, ok := closers[t]; ok && (t != css.LeftBraceToken || n > 0) {
			open = append(open, closer)
		}
		switch {
		case t == css.ErrorToken, len(open) == 0 && (t == css.SemicolonToken || t == css.LeftBraceToken || t == css.RightBraceToken && within):
			return strings.TrimSpace(b.String()), t
		}
		if b.Len() < maxHead {
			b.Write(data)
		}
	}
}

// declarations parses declarations up to the end of the block.
func (r *reader) declarations() []Property {
	list, _ := r.block()
	return list
}

// A nestedRule is a rule within another one.
type nestedRule struct {
	head   string
	list   []Property
	nested []nestedRule
}

// block parses declarations and nested rules up to the end of the block.
func (r *reader) block() ([]Property, []nestedRule) { return r.blockAt(1) }

func (r *reader) blockAt(depth int) (list []Property, nested []nestedRule) {
	var text strings.Builder
	var open []css.TokenType // open brackets in a declaration
	done := func() {
		if p, ok := property(text.String()); ok {
			list = append(list, p)
		}
		text.Reset()
		open = nil
	}
	for {
		t, data := r.next()
		switch {
		case t == css.ErrorToken, t == css.RightBraceToken && len(open) == 0:
			done()
			return list, nested
		case t == css.SemicolonToken && len(open) == 0:
			done()
			continue
		case t == css.LeftBraceToken && len(open) == 0:
			head := strings.TrimSpace(text.String())
			text.Reset()
			if depth == maxDepth || lookProperties[strings.TrimSpace(before(head, ":"))] {
				r.skip(css.RightBraceToken) // an invalid declaration
				continue
			}
			n := nestedRule{head: head}
			n.list, n.nested = r.blockAt(depth + 1)
			nested = append(nested, n)
			continue
		}
		text.Write(data)
		if n := len(open); n > 0 && t == open[n-1] {
			open = open[:n-1]
		} else if closer, ok := closers[t]; ok {
			open = append(open, closer)
		}
	}
}

// before returns the part of s before the first separator, or s.
func before(s, separator string) string {
	s, _, _ = strings.Cut(s, separator)
	return s
}

// property parses one declaration; ok reports whether it may hide text.
func property(text string) (p Property, ok bool) {
	name, value, _ := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if animation, ok := strings.CutPrefix(name, "-webkit-animation"); ok {
		name = "animation" + animation
	} else if physical[name] != "" {
		name = physical[name]
	}
	if !lookProperties[name] && !strings.HasPrefix(name, "--") {
		return p, false
	}
	if at := strings.LastIndexByte(value, '!'); at >= 0 && strings.TrimSpace(value[at+1:]) == "important" {
		value, p.Important = value[:at], true
	}
	p.Name, p.Value = name, strings.TrimSpace(value)
	return p, true
}
