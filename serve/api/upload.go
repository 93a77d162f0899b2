package api

import (
	"cmp"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// Limits of an upload.
const (
	mostFiles  = 1000
	mostFields = 50
	maxField   = 64 << 10         // bytes
	patience   = 60 * time.Second // without a byte from the client
)

// A Form is a request with files: multipart/form-data.
type Form struct {
	Files  []*desk.Upload
	Values url.Values
	Actor  accounts.Actor // the user, with the rights at the end of the request
}

// Value returns the first value of a field, "" if it is missing.
func (f *Form) Value(name string) string { return f.Values.Get(name) }

// Rest returns all values of a field but the first.
func (f *Form) Rest(name string) []string { return f.Values[name][min(1, len(f.Values[name])):] }

// Int returns a number in a field, 0 if it is missing.
func (f *Form) Int(name string) (int, error) {
	if f.Value(name) == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(f.Value(name))
	if err != nil {
		return 0, desk.NotNumber(name)
	}
	return n, nil
}

// files returns an operation on the files of a request. It has the rights of its user at the end of
// the upload.
func files(do func(*call, *Form) (any, error)) operation {
	return func(c *call) (any, error) {
		again := func() (accounts.Actor, error) { return c.s.actor(c.Request) }
		f, err := ReadForm(c.w, c.Request, c.s.Desk, c.actor, again, c.route.action, c.s.MaxRequest)
		if err != nil {
			return nil, err
		}
		c.actor = f.Actor
		return do(c, f)
	}
}

// ReadForm reads a request with files, which are then on the disk. A client that sends nothing for a
// minute, or more than max bytes, is cut off. On an error, no file is left, and the form has the fields
// that were read: all of them if a file was refused.
//
// An upload can take hours. So again returns the user once more at its end: one who was disabled or
// signed out meanwhile, or has lost the right to the action, is refused.
func ReadForm(w http.ResponseWriter, r *http.Request, d *desk.Desk, a accounts.Actor, again func() (accounts.Actor, error), action accounts.Action, max int64) (f *Form, err error) {
	f = &Form{Values: url.Values{}, Actor: a}
	var refused error // of the first file that was
	defer func() {
		if err = cmp.Or(err, refused); err != nil {
			d.Discard(r.Context(), f.Files)
			f.Files = nil
		}
	}()
	r.Body = &patient{http.MaxBytesReader(w, r.Body, max), http.NewResponseController(w)}
	parts, err := r.MultipartReader()
	if err != nil {
		return f, badRequest{err}
	}
	for n := 0; ; {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			if f.Actor, err = again(); err == nil {
				err = desk.May(f.Actor, action)
			}
			return f, err
		case err != nil:
			return f, readError(err)
		case part.FileName() != "" && refused != nil:
		case part.FileName() != "":
			err = f.file(r, d, a, action, part)
			if err != nil && !IsBadRequest(err) && !errors.As(err, new(*http.MaxBytesError)) {
				refused, err = err, nil
			}
		default:
			n++
			err = f.field(part, n)
		}
		if err != nil {
			return f, err
		}
	}
}

// readError returns an error of reading a request as that of the client, unless it is about its size.
func readError(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) {
		return err
	}
	return badRequest{err}
}

func (f *Form) file(r *http.Request, d *desk.Desk, a accounts.Actor, action accounts.Action, part *multipart.Part) error {
	if len(f.Files) == mostFiles {
		return badRequest{errors.New("too many files: send at most " + strconv.Itoa(mostFiles) + ", or an archive")}
	}
	body := &marked{r: part}
	u, err := d.Receive(r.Context(), a, action, part.FileName(), body)
	if err == nil {
		f.Files = append(f.Files, u)
	}
	if err != nil && body.err != nil {
		return readError(body.err)
	}
	return err
}

// A marked reader keeps its error, to distinguish it from an error of writing.
type marked struct {
	r   io.Reader
	err error
}

// Read implements [io.Reader].
func (m *marked) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

func (f *Form) field(part *multipart.Part, n int) error {
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	switch {
	case err != nil:
		return readError(err)
	case len(text) > maxField || n > mostFields:
		return badRequest{errors.New("a field is too long, or there are too many")}
	}
	f.Values[part.FormName()] = append(f.Values[part.FormName()], string(text))
	return nil
}

// A patient body extends the deadline of its connection with each read, so that large uploads have
// time and idle ones do not.
type patient struct {
	io.ReadCloser
	c *http.ResponseController
}

// Read implements [io.Reader].
func (p *patient) Read(b []byte) (int, error) {
	_ = p.c.SetReadDeadline(time.Now().Add(patience)) // a recorder of tests has none
	return p.ReadCloser.Read(b)
}

// PresetChange is a preset to create or replace.
type PresetChange struct {
	Name     string      `json:"name"`
	Label    string      `json:"label" doc:"of submissions that have none"`
	Keep     int         `json:"keep,omitempty" doc:"days after which checks are deleted, of submissions that have none; 0 for never"`
	Settings work.Preset `json:"settings"`
}

// IDs are the ids of created resources.
type IDs struct {
	IDs []string `json:"ids"`
}

// FormOf returns a form without files.
func FormOf(values url.Values) *Form { return &Form{Values: values} }

// SettingsOf returns the settings of a check in a form.
func SettingsOf(f *Form) (p work.Preset, err error) {
	p.Exact = truth(f.Value("exact"))
	for _, list := range []struct {
		field string
		to    *[]string
	}{{"exclude", &p.Exclude}, {"given", &p.Given}} {
		for _, value := range f.Values[list.field] {
			for one := range strings.SplitSeq(value, ",") {
				if one != "" {
					*list.to = append(*list.to, one)
				}
			}
		}
	}
	for _, n := range []struct {
		field string
		to    *int
	}{{"min_passage", &p.MinPassage}, {"min_source", &p.MinSource}} {
		if *n.to, err = f.Int(n.field); err != nil {
			return p, err
		}
	}
	if text := f.Value("min_source_percent"); text != "" {
		if p.MinSourcePercent, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil {
			return p, desk.NotNumber("min_source_percent")
		}
	}
	return p, nil
}

func savePreset(c *call, in PresetChange) (any, error) {
	id, err := c.s.Desk.SavePreset(c.Context(), c.actor, c.id(), desk.Preset{Name: in.Name, Label: in.Label, Keep: in.Keep, Settings: in.Settings})
	if err == nil && c.Method == http.MethodPut {
		return nil, nil
	}
	return ID{id}, err
}

func addGiven(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.AddGiven(c.Context(), c.actor, f.Files)
	return IDs{ids}, err
}
