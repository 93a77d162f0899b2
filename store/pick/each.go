package pick

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/store"
	"golang.org/x/text/unicode/norm"
)

// Each calls fn for each document of r that is meant, in ascending order of names. If what
// was typed determines how names begin, it reads only those entries. If something typed
// matches none of them, it reads the others too, so that [Picker.Missed] can suggest
// similar names.
func (p *Picker) Each(ctx context.Context, r store.Catalogue, fn func(*store.Document) error) error {
	if err := p.literals(ctx, r); err != nil {
		return err
	}
	prefixes, err := p.prefixes(ctx, r)
	if err != nil {
		return err
	}
	for _, prefix := range prefixes {
		err := r.Documents(ctx, prefix, func(d store.Document) error {
			if p.Match(&d) {
				return fn(&d)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(prefixes, "") {
		return nil
	}
	return p.approachAll(ctx, r)
}

// literals makes each pattern that is also the name of a document, such as what?.txt, mean this
// name only.
func (p *Picker) literals(ctx context.Context, r store.Catalogue) error {
	for _, m := range p.means {
		if m.pattern == nil || m.where != nil {
			continue
		}
		pattern, named := m.pattern, false
		m.pattern = nil
		prefixes, err := m.prefixes(ctx, r, p)
		for _, prefix := range prefixes {
			if err == nil && !named {
				err = r.Documents(ctx, prefix, func(d store.Document) error {
					named = named || p.admits(&d) && m.matches(&d, p)
					return nil
				})
			}
		}
		if err != nil {
			return err
		}
		if m.inside = 0; !named {
			m.pattern = pattern
		}
	}
	return nil
}

// approachAll looks for names similar to what matched no document.
func (p *Picker) approachAll(ctx context.Context, r store.Catalogue) error {
	var missed []*meaning
	for _, m := range p.means {
		if m.found == 0 && m.inside == 0 && m.pattern == nil {
			missed = append(missed, m)
			m.near = nil
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return r.Documents(ctx, "", func(d store.Document) error {
		for _, m := range missed {
			if p.admits(&d) {
				m.approach(&d)
			}
		}
		return nil
	})
}

// prefixes returns the prefixes of the names of all documents that may be meant: ascending,
// none a prefix of another.
func (p *Picker) prefixes(ctx context.Context, r store.Catalogue) (list []string, err error) {
	everything := []string{""}
	if len(p.opts.Where) > 0 || len(p.means) == 0 && p.opts.Prefix == nil {
		return everything, nil // all labels must be known
	}
	if len(p.means) == 0 {
		return []string{*p.opts.Prefix}, nil
	}
	for _, m := range p.means {
		if m.where != nil || m.last && m.pattern != nil {
			return everything, nil
		}
		some, err := m.prefixes(ctx, r, p)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	slices.Sort(list)
	last := "\x00 no name begins so"
	return slices.DeleteFunc(list, func(prefix string) bool {
		if strings.HasPrefix(prefix, last) {
			return true
		}
		last = prefix
		return false
	}), nil
}

func (m *meaning) prefixes(ctx context.Context, r store.Catalogue, p *Picker) (list []string, err error) {
	name := strings.TrimSuffix(m.typed, "/")
	if m.pattern != nil {
		name = m.typed[:strings.IndexAny(m.typed, "*?[")]
	}
	list = append(list, name)
	if p.opts.Prefix != nil {
		list = append(list, *p.opts.Prefix+name)
	}
	if m.file != "" {
		list = append(list, m.placed(p)...)
	}
	for i, name := range list {
		list[i] = anyForm(name)
	}
	if !m.isID {
		return list, nil
	}
	d, err := store.Entry(ctx, r, m.id)
	if errors.Is(err, store.ErrNotFound) {
		return list, nil
	}
	return append(list, d.Name()), err
}

// anyForm returns the part of a name before the first accent that has a composed and a
// separate form.
func anyForm(name string) string {
	composed, apart := norm.NFC.String(name), norm.NFD.String(name)
	if composed == apart {
		return composed
	}
	same := 0
	for same < min(len(composed), len(apart)) && composed[same] == apart[same] {
		same++
	}
	for same > 0 && !utf8.RuneStart(composed[same]) {
		same--
	}
	return composed[:same]
}

// placed returns the prefixes of names of documents in the file or folder typed, by each
// base.
func (m *meaning) placed(p *Picker) (list []string) {
	prefix := ""
	if p.opts.Prefix != nil {
		prefix = *p.opts.Prefix
	}
	separator := string(filepath.Separator)
	file := strings.TrimSuffix(m.file, separator)
	list = append(list, prefix+filepath.ToSlash(file), prefix+file) // as an absolute path
	for _, b := range p.opts.Bases {
		folder := strings.TrimSuffix(norm.NFC.String(filepath.Clean(b.Folder)), separator)
		rest, inside := strings.CutPrefix(file, folder+separator)
		switch {
		case inside && b.Name != "":
			list = append(list, prefix+b.Name+"/"+filepath.ToSlash(rest))
		case inside:
			list = append(list, prefix+filepath.ToSlash(rest))
		case file == folder, strings.HasPrefix(folder, file+separator), file == "":
			list = append(list, prefix+b.Name)
		}
	}
	return list
}
