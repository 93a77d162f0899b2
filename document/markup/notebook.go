package markup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/lang/phrase"
)

// A notebook has the fields of a Jupyter notebook that are read.
type notebook struct {
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"` // cells in version 3
	Metadata struct {
		Title   string `json:"title"`
		Authors []struct {
			Name string `json:"name"`
		} `json:"authors"`
	} `json:"metadata"`
}

type cell struct {
	Kind   string `json:"cell_type"`
	Source lines  `json:"source"`
	Input  lines  `json:"input"` // Source in version 3
	Level  int    `json:"level"`

	Outputs []struct {
		Text lines                      `json:"text"`
		Why  lines                      `json:"evalue"` // message of an error
		Data map[string]json.RawMessage `json:"data"`
	} `json:"outputs"`
}

// lines is a string, in JSON also a list of lines with line ends.
type lines string

// UnmarshalJSON accepts both forms.
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// LooksNotebook reports whether data is a Jupyter notebook.
func LooksNotebook(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(format.Head(data), format.BOM), " \t\r\n"), []byte("{")) && bytes.Contains(data, []byte(`"nbformat"`)) && bytes.Contains(data, []byte(`"cell_type"`))
}

// Notebook reads a Jupyter notebook: its text and its code. The output of the code is
// omitted.
func Notebook(ctx context.Context, src *format.Source) (*format.Text, error) {
	if err := format.Ended(ctx); err != nil {
		return nil, err
	}
	var n notebook
	if err := json.NewDecoder(format.NewReader(ctx, bytes.TrimPrefix(src.Data, format.BOM))).Decode(&n); err != nil {
		if ended := format.Ended(ctx); ended != nil {
			return nil, ended
		}
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.notebook", "notebook: {cause}", "cause", err))
	}
	for _, s := range n.Worksheets {
		n.Cells = append(n.Cells, s.Cells...)
	}
	part := *src
	part.Data, part.Decoded = []byte(n.markdown()), "utf-8"
	t, err := web.Markdown(ctx, &part)
	if err != nil {
		return nil, err
	}
	n.unread().Note(t)
	t.Title = n.Metadata.Title
	for _, a := range n.Metadata.Authors {
		t.Author = strings.TrimPrefix(t.Author+", "+a.Name, ", ")
	}
	return t, nil
}

// unread counts the words of the output of the code.
func (n *notebook) unread() *format.Unread {
	u := &format.Unread{}
	for _, c := range n.Cells {
		for _, out := range c.Outputs {
			u.Words("outputs", len(strings.Fields(string(out.Text)+" "+string(out.Why))))
			for _, kind := range []string{"text/markdown", "text/html", "text/plain"} { // versions of the same output
				var text lines
				if json.Unmarshal(out.Data[kind], &text) == nil {
					u.Words("outputs", len(strings.Fields(string(text))))
					break
				}
			}
		}
	}
	return u
}

// markdown returns the cells as one text.
func (n *notebook) markdown() string {
	var b strings.Builder
	for _, c := range n.Cells {
		text := string(c.Source) + string(c.Input)
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		switch c.Kind {
		case "code":
			b.WriteString(fence + "\n" + text + "\n" + fence + "\n\n")
		case "heading":
			b.WriteString("\n" + strings.Repeat("#", min(max(c.Level, 1), 6)) + " " + text + "\n\n")
		default:
			b.WriteString("\n" + text + "\n\n")
		}
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}
