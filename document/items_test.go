package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestItems checks that items of lists are marked with their levels and labels, the same in each format.
func TestItems(t *testing.T) {
	const numbering = `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl></w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>` +
		`<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num></w:numbering>`
	const styles = `<w:styles xmlns:w="w"><w:style w:styleId="Dot"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style></w:styles>`
	par := func(props, s string) string {
		return "<w:p><w:pPr>" + props + "</w:pPr><w:r><w:t>" + s + "</w:t></w:r></w:p>"
	}
	num := func(list, level int) string {
		return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, list)
	}
	dot, three, inner, four := "1  dot", "1 3. three", "2 (a) inner", "1 4. four"
	for name, tt := range map[string]struct {
		data []byte
		want []string
	}{
		"docx": {sample.DOCX(par("", "Text")+par(`<w:pStyle w:val="Dot"/>`, "dot")+par(`<w:pStyle w:val="Dot"/>`+num(0, 0), "no item")+par(num(1, 0)+`<w:pStyle w:val="Dot"/>`, "three")+par(num(1, 1), "inner")+par(num(1, 0), "four")+
			par(num(1, 0)+`<w:outlineLvl w:val="0"/>`, "Head"), "word/numbering.xml", numbering, "word/styles.xml", styles), []string{dot, three, inner, four}},
		"html":     {[]byte("<html><body>Text<ul><li>dot</ul><ol start=3><li><p>three</p><ol type=a><li>inner</li></ol></li><li>four</li></ol>end"), []string{dot, "1 3. three inner", "2 a. inner", four}},
		"value":    {[]byte("<html><body><ol><li value=3>three<li>four</ol>"), []string{three, four}},
		"markdown": {[]byte("# Head\n\nText\n\n- dot\n\nText\n\n3. three\n    - inner\n      runs on\n4. four\n\n   and a paragraph\n\nend\n"), []string{dot, "1 3. three inner runs on", "2  inner runs on", "1 4. four and a paragraph"}},
		"latex": {[]byte("\\documentclass{article}\\begin{document}Text\\begin{itemize}\\item dot\\end{itemize}\\begin{enumerate}\\item three\\begin{enumerate}\\item inner\\end{enumerate}\\item four\\end{enumerate}end\\end{document}"),
			[]string{dot, "1 1. three inner", inner, "1 2. four"}},
		"odt": {sample.ODT(`<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." text:start-value="3"/>`+
			`<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>`,
			`<text:p>Text</text:p><text:list text:style-name="B"><text:list-item><text:p>dot</text:p></text:list-item></text:list><text:list text:style-name="N"><text:list-item><text:p>three</text:p>`+
				`<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>four</text:p></text:list-item></text:list>`),
			[]string{dot, "1 3. three inner", inner, four}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := &document.Document{Ext: map[string]string{"markdown": "md", "latex": "tex"}[name]}
			if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			items := 0
			for _, m := range doc.Marks {
				if m.Kind == document.Item {
					items++
					found[fmt.Sprintf("%d %s %s", m.Level, m.Label, strings.Join(strings.Fields(doc.Text[m.Start:m.End]), " "))] = true
				}
			}
			for _, want := range tt.want {
				if !found[want] {
					t.Errorf("no item %q, found %v", want, found)
				}
			}
			if items != len(tt.want) {
				t.Errorf("%d items, want %d: %v", items, len(tt.want), found)
			}
		})
	}
}
