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

// lookProperties are the properties that may hide, separate or replace text.
var lookProperties = format.Names("display", "visibility", "opacity", "color", "-webkit-text-fill-color", "background", "background-color",
	"background-image", "font-size", "font", "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path",
	"overflow", "width", "height", "max-width", "max-height", "transform", "filter", "translate", "scale", "inset", "zoom", "mask", "mask-image",
	"-webkit-mask", "-webkit-mask-image", "content-visibility", "letter-spacing", "word-spacing", "direction", "unicode-bidi", "content", "float",
	"margin", "margin-right", "padding", "padding-left", "padding-right", "border", "border-left", "border-right", "min-width")

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

// skip skips to the end of the open block, with everything nested in it.
func (r *reader) skip(closer css.TokenType) {
	open := []css.TokenType{closer}
	for len(open) > 0 {
		t, _ := r.next()
		if t == css.ErrorToken {
			return
		}
		if t == open[len(open)-1] {
			open = open[:len(open)-1]
		} else if inner, ok := closers[t]; ok {
			open = append(open, inner)
		}
	}
}

// head reads the text before a block or a semicolon and returns it with the token that ended
// it, which may be the end of the enclosing block if within is set. It omits the content of
// brackets, but keeps the brackets.
func (r *reader) head(within bool) (string, css.TokenType) {
	var b strings.Builder
	for {
		t, data := r.next()
		switch t {
		case css.RightBraceToken:
			if !within {
				break
			}
			fallthrough
		case css.ErrorToken, css.SemicolonToken, css.LeftBraceToken:
			return strings.TrimSpace(b.String()), t
		}
		b.Write(data)
		if closer, ok := closers[t]; ok {
			r.skip(closer)
			b.WriteString(map[css.TokenType]string{css.RightBracketToken: "]", css.RightParenthesisToken: ")"}[closer])
		}
	}
}

// declarations parses declarations up to the end of the block.
func (r *reader) declarations() []Property {
	var list []Property
	var text strings.Builder
	var open []css.TokenType // open brackets in a declaration
	nested := false          // the declaration contains a block and is invalid
	done := func() {
		if p, ok := property(text.String()); ok && !nested {
			list = append(list, p)
		}
		text.Reset()
		open, nested = nil, false
	}
	for {
		t, data := r.next()
		switch {
		case t == css.ErrorToken, t == css.RightBraceToken && len(open) == 0:
			done()
			return list
		case t == css.SemicolonToken && len(open) == 0:
			done()
			continue
		case t == css.LeftBraceToken && len(open) == 0:
			r.skip(css.RightBraceToken)
			nested = true
			done()
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

// property parses one declaration; ok reports whether it may hide text.
func property(text string) (p Property, ok bool) {
	name, value, _ := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); !lookProperties[name] {
		return p, false
	}
	if at := strings.LastIndexByte(value, '!'); at >= 0 && strings.TrimSpace(value[at+1:]) == "important" {
		value, p.Important = value[:at], true
	}
	p.Name, p.Value = name, strings.TrimSpace(value)
	return p, true
}
