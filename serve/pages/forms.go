package pages

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// A refusal is the error of a form that was sent. Its message is beside the field, in the form
// with all that was typed.
type refusal struct {
	fields []string // the form has at most one of them; the message is above the form if it has none
	text   string
}

// A surePage is the data of the page that asks before a form is carried out, or asks to sign in before it is sent again.
// The script asks on the page of the form.
type surePage struct {
	Question, Path string
	Values         url.Values // of the form
	Back           string     // address of the page of the form
}

// ask asks before a form is carried out.
func (v *visit) ask(message string) error {
	p := surePage{v.lang.Text(message), v.URL.Path, v.PostForm, "/"}
	if from, err := url.Parse(v.Referer()); err == nil && from.Host == v.Host {
		p.Back = local(from.RequestURI())
	}
	return v.show("sure", v.lang.Text("web.sure"), p)
}

// readForm reads a form with files. Its values are those of the visit, also if it cannot be read to its
// end.
func (v *visit) readForm() (*api.Form, error) {
	again := func() (accounts.Actor, error) {
		v.signed = false
		if err := v.identify(); err != nil || v.signed {
			return v.actor, err
		}
		v.route.page = nil // whoever is signed out does not see it
		return v.actor, errSignedOut
	}
	f, err := api.ReadForm(v.w, v.Request, v.s.Desk, v.actor, again, v.route.action, v.s.MaxRequest)
	v.PostForm = f.Values
	return f, err
}

// act returns the handler of a form that a method of the desk carries out on what the path names, as in
// [visit.after].
func act(do func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string) error, page string) func(*visit) error {
	return func(v *visit) error {
		return v.after(do(v.s.Desk, v.Context(), v.actor, v.PathValue("id")), page)
	}
}

// addFiles is [act] for a form with files.
func addFiles(add func(d *desk.Desk, ctx context.Context, a accounts.Actor, id, key string, files []*desk.Upload) ([]string, error), page string) func(*visit) error {
	return func(v *visit) error {
		f, err := v.readForm()
		if err != nil {
			return err
		}
		_, err = add(v.s.Desk, v.Context(), v.actor, v.PathValue("id"), f.Value("key"), f.Files)
		return v.after(err, page)
	}
}

// deletion returns the handler of a form that deletes what the path names, and shows what was deleted.
func deletion(do func(d *desk.Desk, ctx context.Context, a accounts.Actor, id string) (*desk.Deleted, error)) func(*visit) error {
	return func(v *visit) error {
		gone, err := do(v.s.Desk, v.Context(), v.actor, v.PathValue("id"))
		if err != nil {
			return err
		}
		return v.show("deleted", v.lang.Text("web.deleted"), gone)
	}
}

// errNoForm is the error for a page without the form that was sent.
var errNoForm = errors.New("the page does not have the form")

// answerable reports whether the user can send a form again after an error with the status.
func answerable(status int) bool {
	switch status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError:
		return false
	}
	return true
}

// fieldsOf returns the names of the fields that an error is about.
func fieldsOf(err error) []string {
	var wrong *desk.Invalid
	switch {
	case errors.As(err, &wrong):
		return []string{wrong.Field, strings.TrimSuffix(wrong.Field, "s")} // a list in the API, a field for each value in a form
	case errors.Is(err, desk.ErrInUse):
		return []string{"login", "name"}
	case errors.Is(err, desk.ErrCredentials):
		return []string{"password"}
	case errors.Is(err, desk.ErrTooLarge), errors.As(err, new(*http.MaxBytesError)), errors.Is(err, desk.ErrQuota):
		return []string{"file"}
	}
	return nil
}

// amend returns a page with the form that was sent to path: it has the values, and the message of the
// refusal.
func (r *refusal) amend(page []byte, path string, values url.Values) ([]byte, error) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	form := formOf(doc, path, values)
	if form == nil {
		return nil, errNoForm
	}
	var wrong *html.Node
	for n := range form.Descendants() {
		remove(n, "autofocus")
		name := attribute(n, "name")
		if name == "" || n.DataAtom == atom.Button {
			continue
		}
		fill(n, values[name])
		if wrong == nil && slices.Contains(r.fields, name) && attribute(n, "type") != "hidden" {
			wrong = n
		}
	}
	message := &html.Node{Type: html.ElementNode, Data: "p", Attr: []html.Attribute{{Key: "class", Val: "wrong"}, {Key: "id", Val: "wrong"}, {Key: "role", Val: "alert"}}}
	message.AppendChild(&html.Node{Type: html.TextNode, Data: r.text})
	if wrong != nil {
		set(wrong, "aria-invalid", "true")
		set(wrong, "aria-describedby", strings.TrimSpace("wrong "+attribute(wrong, "aria-describedby")))
		set(wrong, "autofocus", "")
		place(message, wrong)
	} else {
		set(message, "tabindex", "-1")
		set(message, "autofocus", "")
		form.InsertBefore(message, form.FirstChild)
	}
	for n := range message.Ancestors() {
		if n.DataAtom == atom.Details {
			set(n, "open", "")
		}
	}
	var b bytes.Buffer
	err = html.Render(&b, doc)
	return b.Bytes(), err
}

// formOf returns the form that sends to path. Of several, it is one whose hidden fields have the
// values, with the most of the fields.
func formOf(doc *html.Node, path string, values url.Values) (found *html.Node) {
	most := -1
	for n := range doc.Descendants() {
		form := n
		switch {
		case n.DataAtom == atom.Form && attribute(n, "action") == path:
		case n.DataAtom == atom.Button && attribute(n, "formaction") == path:
			for form = n; form != nil && form.DataAtom != atom.Form; form = form.Parent {
			}
		default:
			continue
		}
		if n := fieldsIn(form, values); found == nil || n > most {
			found, most = form, n
		}
	}
	return found
}

// fieldsIn returns how many fields of a form have values, -1 if a hidden one has another value.
func fieldsIn(form *html.Node, values url.Values) int {
	names := map[string]bool{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		if attribute(n, "type") == "hidden" && name != "key" && name != "seen" && values.Get(name) != attribute(n, "value") {
			return -1
		}
		if values.Has(name) {
			names[name] = true
		}
	}
	return len(names)
}

// fill sets the value of a control. Hidden ones have the value for the next attempt, and passwords and
// files are typed again.
func fill(n *html.Node, values []string) {
	switch n.DataAtom {
	case atom.Input:
		switch attribute(n, "type") {
		case "hidden", "password", "file":
		case "checkbox", "radio":
			mark(n, "checked", slices.Contains(values, attribute(n, "value")))
		default:
			set(n, "value", strings.Join(values, ""))
		}
	case atom.Textarea:
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Join(values, "")})
	case atom.Select:
		for o := range n.Descendants() {
			if o.DataAtom == atom.Option {
				mark(o, "selected", slices.Contains(values, attribute(o, "value")))
			}
		}
	}
}

// place inserts a message after the label of a control or, if it is one of several boxes, after the
// legend of their group.
func place(message, control *html.Node) {
	label := control
	for n := range control.Ancestors() {
		if n.DataAtom == atom.Label {
			label = n
		}
		if box := attribute(control, "type") == "checkbox" || attribute(control, "type") == "radio"; box && n.DataAtom == atom.Fieldset {
			label = n.FirstChild
		}
	}
	if strings.Contains(attribute(label.Parent, "class"), "pairs-of-fields") { // a grid: both are in one cell
		cell := &html.Node{Type: html.ElementNode, Data: "div"}
		label.Parent.InsertBefore(cell, label)
		label.Parent.RemoveChild(label)
		cell.AppendChild(label)
	}
	label.Parent.InsertBefore(message, label.NextSibling)
}

// attribute returns the value of an attribute of an element, "" if it has none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func remove(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func set(n *html.Node, name, value string) {
	remove(n, name)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

// mark sets an attribute without a value, or removes it.
func mark(n *html.Node, name string, on bool) {
	remove(n, name)
	if on {
		set(n, name, "")
	}
}
