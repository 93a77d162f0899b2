package look

import (
	"context"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/document/format"
)

// A Property is a declaration of a style sheet.
type Property struct {
	Name, Value string
	Important   bool
}

// lookProperties are those that may hide text, part it, or put other text in its place.
var lookProperties = format.Names("display", "visibility", "opacity", "color", "-webkit-text-fill-color", "background", "background-color",
	"background-image", "font-size", "font", "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path",
	"overflow", "width", "height", "max-width", "max-height", "transform", "filter", "translate", "scale", "inset", "zoom", "mask", "mask-image",
	"-webkit-mask", "-webkit-mask-image", "content-visibility", "letter-spacing", "word-spacing", "direction", "unicode-bidi", "content", "float",
	"margin", "margin-right", "padding", "padding-left", "padding-right", "border", "border-left", "border-right", "min-width")

// Properties reads declarations, of those that may hide text.
func Properties(text string) []Property {
	return newReader(context.Background(), text).declarations()
}

// A reader takes CSS token by token. What is open is closed where the standard
// says that browsers do, so that a sheet with mistakes hides what it hides there.
type reader struct {
	pulse *format.Pulse
	lexer *css.Lexer
	err   error // of the context
}

func newReader(ctx context.Context, text string) *reader {
	return &reader{pulse: format.NewPulse(ctx), lexer: css.NewLexer(parse.NewInputString(strings.ToLower(text)))}
}

// next returns a token that is no comment; ErrorToken after the last one.
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

// closers are the tokens that end what others begin.
var closers = map[css.TokenType]css.TokenType{
	css.LeftBraceToken: css.RightBraceToken, css.LeftBracketToken: css.RightBracketToken,
	css.LeftParenthesisToken: css.RightParenthesisToken, css.FunctionToken: css.RightParenthesisToken,
}

// skip goes to where what is open ends, and what is in it.
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

// head reads what is before a block or a semicolon, and returns what ended it: the
// end of the block that it is in, if within is set. What brackets hold is left out,
// but not the brackets.
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

// declarations reads those of a block, to its end.
func (r *reader) declarations() []Property {
	var list []Property
	var text strings.Builder
	var open []css.TokenType // brackets within a declaration
	nested := false          // a block is within it, so that it is none
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

// property reads one declaration, ok if it may hide text.
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
