package office_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestRTF(t *testing.T) {
	const head = `{\rtf1\ansi\ansicpg1250{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset238 Arial CE;}{\f2\fcharset204 Arial Cyr;}{\f3\fcharset128 Mincho;}}` +
		`{\colortbl;\red0\green0\blue0;\red255\green255\blue255;\red251\green252\blue253;}{\stylesheet{\s0 Normal;}}{\info{\title A \'8eivot}{\author Nov\u225?k}}` +
		`{\header running head}{\*\generator Some;}`
	hidden := func(at, count int, detail string) []document.Flag {
		return []document.Flag{{Kind: document.HiddenText, Start: at, End: at, Count: count, Detail: detail}}
	}
	tests := []struct {
		name, rtf, want string
		flags           []document.Flag
	}{
		{"paragraphs", `\pard one\par two\b  bold\b0  word\par\par three`, "one\n\ntwo bold word\n\nthree", nil},
		{"code page", `\'9elu\'9dou\'e8k\'fd`, "žluťoučký", nil},
		{"initial", `one\par\pard\dropcapli2\dropcapt1 T\par\pard he harbour\par end`, "one\n\nThe harbour\n\nend", nil},
		{"fonts", `\f2\'ec\'e8\'f0 {\f1\'ec\'e8\'f8}`, "мир ěčř", nil},
		{"Unicode", `\u345?\uc2\u283\'3f\'3f\uc0\u367 m {\uc1\u-10179?\u-8704?}`, "řěům 😀", nil},
		{"signs", `\ldblquote a\rdblquote\emdash b\~c\_d\-e \{\}\\`, "“a”—b\u00a0c\u2011de {}\\", nil},
		{"breaks", `one\line two\tab three\lbr3 four`, "one\ntwo three\nfour", nil},
		{"font without a code page", `\f2\'e6 \f9 \'9e \f2\'e6\plain \'9e`, "ж ž жž", nil},
		{"second byte escaped", `\f3\'95\\\'8e\'a6`, "表示", nil},
		{"table", `\trowd a\cell b\cell\row c\cell d\cell\row\pard e`, "a\tb\nc\td\ne", nil},
		{"note", `one{\super 1{\footnote\pard see \i there\par and here}} two\par three`, "one two\n\nsee there\n\nand here\n\nthree", nil},
		{"field", `{\field{\*\fldinst PAGE}{\fldrslt 12}}`, "12", nil},
		{"formula of a field", `one {\field{\*\fldinst {EQ \\o\\ad(\\s\\up 10(read),word)}}{\fldrslt }} two`, "one word two", nil},
		{"text of a button", `{\field{\*\fldinst MACROBUTTON Name click here}{\fldrslt }} two`, "click here two", nil},
		{"tracked changes", `{\deleted old }{\revised new}`, "new", nil},
		{"end of a paragraph deleted", `one {\deleted\par }two\par three`, "one two\n\nthree", nil},
		{"picture", `a{\pict\bin3 }}}b}c`, "ac", nil},
		{"hidden", `one {\v not }two`, "one two", hidden(3, 3, "marked as hidden")},
		{"white", `one\cf2 x\cf1 two`, "one two", hidden(3, 1, "white on white")},
		{"white on a ground", `{\cf2\chcbpat1 one} {\cf2\highlight1 two} \pard\cbpat1\cf2 three`, "one two three", nil},
		{"white in a cell with a ground", `\trowd\clcbpat1\cellx1 \pard\intbl\cf2 one\cell\row\pard x\cf0 two`, "one\ntwo", hidden(3, 1, "white on white")},
		{"nearly white", `one {\cf3 x}two`, "one two", hidden(3, 1, "white on white")},
		{"tiny", `one{\fs2 x}two`, "onetwo", hidden(3, 1, "too small to see")},
		{"narrow", `one{\charscalex1 x}two{\charscalex90 y}`, "onetwoy", hidden(3, 1, "too narrow to see")},
		{"raised numbers", `jedna{\super 1} a dva{\up6 23}, {\super\cs5 3} 10 cm{\super 2\nosupersub } x`, "jedna a dva, 3 10 cm2 x", nil},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte("\ufeff\n"+head+tt.rtf+"}\nafter"), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "rtf" || !doc.Parted {
			t.Errorf("%s: %s text %q, want rtf %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if doc.Title != "A Život" || doc.Author != "Novák" {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		} else if !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: flags %+v, want %+v", tt.name, doc.Flags, tt.flags)
		}
	}
}

// TestRTFPages reads characters of code pages of one byte and of more, and reports
// of one that it does not know.
func TestRTFPages(t *testing.T) {
	tests := []struct{ name, rtf, want, note string }{
		{"Windows-1250", `\ansicpg1250 \'9elu\'9d`, "žluť", ""},
		{"bytes as they are", "\\ansicpg1250 \x9elu\x9d", "žluť", ""},
		{"Macintosh", `\mac na\'95ve`, "naïve", ""},
		{"Macintosh, Central Europe", `\ansicpg10029 \'eclu\'e9`, "žluť", ""},
		{"CP 437", `\pc na\'8bve`, "naïve", ""},
		{"Hebrew", `{\fonttbl{\f1\fcharset177 A;}}\f1 \'f9\'ec\'e5\'ed`, "שלום", ""},
		{"Japanese", `\ansicpg932 \'93\'fa\'96{\'b1}`, "日\ufffdｱ", ""},
		{"Japanese, half of it ASCII", `\ansicpg932 \'83e\'83X\'83g`, "テスト", ""},
		{"Japanese for readers without Unicode", `\ansicpg932\uc2 \u26085\'93\'fa.`, "日.", ""},
		{"Chinese", `\ansicpg936 \'d6\'d0`, "中", ""},
		{"UTF-8", `\ansicpg65001 \'c5\'99\'c5`, "ř\ufffd", ""},
		{"unknown", `\ansicpg9999 \'9elu\'9e{\*\x \'9e}`, "žluž", "code page 9999 is not known: 2 characters above ASCII are read as Windows-1252"},
		{"unknown, ASCII only", `\ansicpg9999 word`, "word", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1`+tt.rtf+"}"), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if got := strings.Join(doc.Notes, "|"); got != tt.note {
			t.Errorf("%s: notes %q, want %q", tt.name, got, tt.note)
		}
	}
}

func TestRTFHostile(t *testing.T) {
	data := `{\rtf1 ` + strings.Repeat("{", 20_000)
	if err := readtest.Read(t.Context(), &document.Document{}, []byte(data), document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("error %v, want %v", err, document.ErrDamaged)
	}
}

// TestRTFEnds reads files without their last braces, as word processors do.
func TestRTFEnds(t *testing.T) {
	for data, want := range map[string]string{
		`{\rtf1 text\par`:                      "text",
		`{\rtf1 text{\footnote a {\b note`:     "text\n\na note",
		`{\rtf1 a{\pict\bin999999999999999 }}`: "a",
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(data), document.Options{}); err != nil || doc.Text != want || len(doc.Notes) != 1 || doc.Notes[0] != "RTF ends within a group" {
			t.Errorf("%s: text %q, notes %q, %v, want %q", data, doc.Text, doc.Notes, err, want)
		}
	}
}

// TestRTFShapes reads the text of boxes, WordArt and embedded objects once, at the place of their
// paragraph.
func TestRTFShapes(t *testing.T) {
	const box = `{\shptxt \pard\plain in the box\par }`
	tests := []struct{ name, rtf, want, flags string }{
		{"box", `one{\shp{\*\shpinst\shpleft0{\sp{\sn shapeType}{\sv 202}}` + box + `}{\shprslt{\*\do{\dptxbx{\dptxbxtext\pard in the box\par}}}}} two\par three`, "one two\n\nin the box\n\nthree", ""},
		{"box of old versions", `one{\*\do\dobxcolumn{\dptxbxtext \pard in the box\par}} two`, "one two\n\nin the box", ""},
		{"only a result", `one{\shp{\shprslt{\*\do{\dptxbxtext\pard in the box\par}}}} two`, "one two\n\nin the box", ""},
		{"group", `one{\shpgrp{\*\shpinst{\shp{\*\shpinst` + box + `}}{\shp{\*\shpinst{\shptxt second\par}}}}} two`, "one two\n\nin the box\n\nsecond", ""},
		{"WordArt", `one{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv drawn \u345?}}{\sp{\sn wzDescription}{\sv a picture}}}} two`, "one two\n\ndrawn ř", ""},
		{"white on a shape of any colour", `one{\shp{\*\shpinst{\shptxt\pard\plain\cf2 white\par}}} two`, "one two\n\nwhite", ""},
		{"hidden shape", `one{\shp{\*\shpinst{\sp{\sn fHidden}{\sv 1}}` + box + `}} two`, "one two", "hidden text 8 marked as hidden"},
		{"object", `one {\object\objemb{\*\objclass Word.Document.8}{\*\objdata 0105}{\result {\rtlch\ltrch shown}}} two`, "one shown two", ""},
		{"formula", `one {\*\mmath{\*\moMath{\md{\mdPr{\mbegChr [}}{\me{\mr x}}}}} two`, "one x two", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1\ansi{\colortbl;\red0\green0\blue0;\red255\green255\blue255;}\pard `+tt.rtf+`\par}`), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || readtest.Flagged(doc) != tt.flags || len(doc.Notes) > 0 {
			t.Errorf("%s: text %q, flags %q, notes %q, want %q, flags %q", tt.name, doc.Text, readtest.Flagged(doc), doc.Notes, tt.want, tt.flags)
		}
	}
}

// TestRTFLabels reads labels of lists that are prose, and leaves out numbers.
func TestRTFLabels(t *testing.T) {
	const tables = `{\*\listtable{\list{\listlevel{\leveltext\leveltemplateid1\'02\'00.;}{\levelnumbers\'01;}}{\listlevel{\leveltext\'17Copied words of another: \'01.;}{\levelnumbers\'01;}}\listid7}}` +
		`{\*\listoverridetable{\listoverride\listid7\listoverridecount0\ls3}}`
	tests := []struct{ name, rtf, want string }{
		{"number", `\pard\ls3\ilvl0{\listtext 1.\tab}one\par two`, "one\n\ntwo"},
		{"prose", `\pard\ls3\ilvl1{\listtext 1.\tab}one\par\pard two`, "Copied words of another: . one\n\ntwo"},
		{"prose without text", `\pard\ls3\ilvl1\par\pard two`, "Copied words of another: .\n\ntwo"},
		{"stated", `\pard{\listtext Some other copied words\tab}one\par\pard two`, "Some other copied words one\n\ntwo"},
		{"stated by old versions", `\pard{\pntext Some other copied words\tab}{\*\pn\pnlvlbody{\pntxtb Some}}one`, "Some other copied words one"},
		{"list that is not defined", `\pard\ls9\ilvl-1 one\par\ls3\ilvl99 two`, "one\n\ntwo"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1\ansi`+tables+tt.rtf+`}`), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

// TestRTFStyles: a style that hides text hides it like direct formatting, which takes precedence.
// Styles of paragraph and characters that both hide text cancel each other, as in Word.
func TestRTFStyles(t *testing.T) {
	const head = `{\rtf1\ansi{\stylesheet{\s0 Normal;}{\s15\v Secret;}{\*\cs16 \v Secret too;}{\s17 Plain;}{\s18\sbasedon15 Secret child;}{\s19\sbasedon15\v0 Plain child;}}`
	tests := []struct{ rtf, want, flags string }{
		{`\pard\s15 secret\par\pard\s0 one`, "one", "hidden text 6 marked as hidden"},
		{`\pard\s17 one {\cs16 x}two`, "one two", "hidden text 1 marked as hidden"},
		{`\pard\s15{\v0 one}\pard  two`, "one two", ""},
		{`\pard\s18 secret\par\pard\s0 one`, "one", "hidden text 6 marked as hidden"},
		{`\pard\s19 one\par\pard\s0 two`, "one\n\ntwo", ""},
		{`\pard\s15{\cs16 one}\par\pard two`, "one\n\ntwo", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(head+tt.rtf+`}`), document.Options{}); err != nil || doc.Text != tt.want || readtest.Flagged(doc) != tt.flags {
			t.Errorf("%s: text %q, flags %q, %v, want %q, flags %q", tt.rtf, doc.Text, readtest.Flagged(doc), err, tt.want, tt.flags)
		}
	}
}

// TestRTFUnread notes the words of destinations that are not known, of headers, and objects
// without text.
func TestRTFUnread(t *testing.T) {
	long := strings.Repeat("words ", 30)
	tests := []struct{ name, rtf, want string }{
		{"unknown destination", `one{\*\newdest some words here 0105abcd12 {\b inside}}`, `4 words that may be shown are not read: \newdest`},
		{"data", `one{\*\newdest 0105ab00 77ffee}{\*\bkmkstart name of it}{\*\docvar{a word}{b word}}`, ""},
		{"header", `one{\header ` + long + `\par}{\footer ` + long + `}{\headerf Short title}`, `32 words that may be shown are not read: \header, \headerf`},
		{"object as a picture", `one{\object\objemb{\*\objdata 0105}{\result{\pict\wmetafile8 0100}}}`, `not read, although it may be shown: \object`},
		{"box in a header", `{\header{\shp{\*\shpinst{\shptxt\pard in the box\par}}}}one`, `3 words that may be shown are not read: \header`},
		{"comment", `one{\*\atnid J}{\*\atnauthor Jan}\chatn{\*\annotation\pard\chatn{\*\atndate 1}copied words}`, `2 words that may be shown are not read: \annotation`},
		{"separator of notes", `one{\*\ftnsep copied words}`, `2 words that may be shown are not read: \ftnsep`},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1\ansi `+tt.rtf+`}`), document.Options{}); err != nil || doc.Text != "one" || strings.Join(doc.Notes, ", ") != tt.want {
			t.Errorf("%s: text %q, notes %q, %v, want “one” and %q", tt.name, doc.Text, doc.Notes, err, tt.want)
		}
	}
}
