package document

import (
	"reflect"
	"strings"
	"testing"
)

func TestReveal(t *testing.T) {
	const text = "The first plаgiаrism, then c o p i e d words and pla\u200bgiat."
	doc := &Document{}
	if err := read(t.Context(), doc, []byte(text), Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "The first plagiarism, then copied words and pla\u200bgiat."; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	var got []string
	for _, f := range doc.Flags {
		got = append(got, string(f.Kind)+": "+doc.Text[f.Start:f.End])
	}
	if want := []string{"mixed scripts: plagiarism", "spaced letters: copied", "invisible characters: pla\u200bgiat"}; !reflect.DeepEqual(got, want) {
		t.Errorf("flags %q, want %q", got, want)
	}
	asIs := &Document{}
	if err := read(t.Context(), asIs, []byte(text), Options{AsIs: true}); err != nil || asIs.Text != text || asIs.Flags != nil {
		t.Errorf("as it is: text %q, flags %v, %v", asIs.Text, asIs.Flags, err)
	}
}

// TestRevealMoves checks that places in the text move with it.
func TestRevealMoves(t *testing.T) {
	data := docx(t, `<w:p><w:r><w:t>c o p i e d words</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>`+
		`<w:p><w:r><w:t>end</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>`)
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil {
		t.Fatal(err)
	}
	checkMarks(t, doc, "heading: Head")
	if n := len(doc.Flags); n != 2 || doc.Flags[1].Start != strings.Index(doc.Text, "end")+3 {
		t.Errorf("flags %+v, want the second after the end of %q", doc.Flags, doc.Text)
	}
}

func TestHTMLHidden(t *testing.T) {
	tests := []struct {
		name, html, want string
		why              string // of the one flag, "" for none
	}{
		{"attribute", "one <span hidden>not <span>this</span> this</span>two", "one two", "marked as hidden"},
		{"display", `one<span style="color: red; display:none">x</span>two`, "onetwo", "marked as hidden"},
		{"visibility", `one<div style="visibility: hidden"><div>x</div>y</div>two`, "one\n\ntwo", "marked as hidden"},
		{"tiny", `one<span style="font-size:1px">x</span>two`, "onetwo", "too small to see"},
		{"not tiny", `one<span style="font-size:1em">x</span>two`, "onextwo", ""},
		{"white", `one<span style="color:#FFF">x</span>two`, "onetwo", "white on white"},
		{"white by font", `one<font color="white">x</font>two`, "onetwo", "white on white"},
		{"white on a ground", `<div style="background:#000"><span style="color:#fff">x</span></div>`, "x", ""},
		{"white on a style sheet's ground", `<style>body { background: black }</style><p style="color:white">x</p>`, "x", ""},
		{"paragraph that another ends", `<p hidden>x<p>two`, "two", "marked as hidden"},
		{"element without content", `<input hidden>one`, "one", ""},
		{"background colour is none of the text", `<p style="background-color:#fff">one`, "one", ""},
	}
	for _, tt := range tests {
		doc := &Document{Ext: "html"}
		if err := read(t.Context(), doc, []byte(tt.html), Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		why := ""
		if len(doc.Flags) == 1 {
			why = doc.Flags[0].Detail
		}
		if why != tt.why || len(doc.Flags) > 1 {
			t.Errorf("%s: flags %+v, want one: %q", tt.name, doc.Flags, tt.why)
		}
	}
}
