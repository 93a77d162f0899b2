package harvest

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/store"
)

type description struct {
	store.Description          // Address is the URL of its landing page
	files             []string // URLs of full texts
	landings          []string // URLs of pages that may link to full texts
}

var labelled = map[string]string{"language": "language", "type": "type", "publisher": "publisher", "level": "level", "discipline": "discipline", "grantor": "grantor"}

// describe reads the metadata of a record of the repository at base: in Dublin Core and ETDMS, whose
// elements have the same names, and in XOAI, METS and MODS.
func describe(r record, base string) *description {
	d := &description{Description: store.Description{Labels: map[string]string{}}}
	c := collected{}
	switch {
	case r.metadata == nil:
		return d
	case r.metadata.kid("element") != nil:
		c.xoai(r.metadata, nil)
	default:
		c.plain(r.metadata)
	}
	d.Title = first(c["title"])
	d.Author = strings.Join(c["creator"], "; ")
	d.Year = cmp.Or(yearOf(c["issued"]), yearOf(c["date"]))
	for element, name := range labelled {
		if text := first(c[element]); text != "" {
			d.Labels[name] = text
		}
	}
	d.files = slices.Compact(c["file"])
	from, _ := url.Parse(base) // requests have been sent to it
	if page := invenioPage(from, r.ident); page != "" && !slices.ContainsFunc(c["identifier"], isLanding) {
		d.links(c["identifier"]) // relations are other works and communities
		d.landings = []string{page}
		return d
	}
	d.links(append(c["identifier"], slices.DeleteFunc(c["relation"], func(text string) bool { return !ofSite(from, text) })...))
	return d
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// A collected has the values of a record by the names of Dublin Core.
type collected map[string][]string

// Limits for the metadata kept of a record.
const (
	mostValues   = 200  // per name
	longestValue = 2000 // bytes
)

func (c collected) add(name, text string) {
	if len(c[name]) >= mostValues {
		return
	}
	if len(text) > longestValue {
		text = strings.ToValidUTF8(text[:longestValue], "")
	}
	if text = strings.Join(strings.Fields(text), " "); text != "" && !slices.Contains(c[name], text) {
		c[name] = append(c[name], text)
	}
}

var dublin = map[string]bool{"title": true, "creator": true, "date": true, "identifier": true, "relation": true, "language": true, "type": true,
	"publisher": true, "level": true, "discipline": true, "grantor": true}

func (c collected) plain(e *element) {
	switch name := strings.ToLower(e.name); {
	case name == "filegrp":
		if use := strings.ToUpper(e.attrs["USE"]); use != "" && use != "ORIGINAL" && use != "CONTENT" {
			return // pictures, licences, and texts extracted from the other files
		}
	case name == "flocat":
		c.add("file", e.attrs["href"])
	case name == "name": // MODS
		role := ""
		e.all(func(k *element) {
			if k.name == "roleTerm" {
				role = strings.ToLower(k.text)
			}
		})
		if role == "" || strings.HasPrefix(role, "aut") || role == "creator" {
			c.add("creator", e.kid("namePart").value())
		}
		if e.kid("namePart") != nil {
			return
		}
		if dublin[name] {
			c.add(name, e.text)
		}
	case name == "dateissued" || name == "issued":
		c.add("issued", e.text)
	case dublin[name]:
		c.add(name, e.text)
	}
	for _, k := range e.kids {
		c.plain(k)
	}
}

// xoai collects from XOAI: named elements with fields. at has the names of the elements that
// contain e.
func (c collected) xoai(e *element, at []string) {
	if e.name == "element" {
		at = append(slices.Clip(at), e.attrs["name"])
	}
	if e.attrs["name"] == "bundle" {
		c.bundle(e)
		return
	}
	for _, k := range e.kids {
		if k.name != "field" {
			c.xoai(k, at)
			continue
		}
		if k.attrs["name"] != "value" || len(at) < 2 || at[0] != "dc" && at[0] != "dcterms" && at[0] != "thesis" {
			continue
		}
		name := at[1]
		if name == "degree" && len(at) > 2 { // of the schema thesis
			name = at[2]
		}
		switch {
		case name == "contributor" && slices.Contains(at, "author"):
			c.add("creator", k.text)
		case name == "date" && slices.Contains(at, "issued"):
			c.add("issued", k.text)
		case name == "date" && len(at) > 2 && (slices.Contains(at, "accessioned") || slices.Contains(at, "available")):
		case name == "identifier" && slices.Contains(at, "uri"), name == "relation" || name == "date":
			c.add(name, k.text)
		case name != "identifier" && dublin[name] && (len(at) < 4 || name == "language" || at[0] == "thesis"): // not title.alternative and the like
			c.add(name, k.text)
		}
	}
}

// bundle collects the files of a bundle, if that is the work itself.
func (c collected) bundle(e *element) {
	for _, k := range e.kids {
		if k.name == "field" && k.attrs["name"] == "name" && k.text != "ORIGINAL" {
			return
		}
	}
	e.all(func(stream *element) {
		if stream.attrs["name"] != "bitstream" {
			return
		}
		for _, k := range stream.kids {
			if k.attrs["name"] == "url" {
				c.add("file", k.text)
			}
		}
	})
}

var texts = map[string]bool{".pdf": true, ".doc": true, ".docx": true, ".odt": true, ".rtf": true, ".txt": true, ".epub": true, ".tex": true, ".ps": true, ".zip": true}

// doi matches a DOI with or without its prefix; identifiers starting with hdl: are handles.
var doi = format.Pattern(`^(?i:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)$`)

// isLanding reports whether an identifier is the address of a web page, and no DOI.
func isLanding(text string) bool {
	return (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")) && !doi().MatchString(text)
}

// invenioPage returns the page of a record in a repository of Invenio, such as Zenodo, whose DOI may lead
// to a publisher; "" for other repositories.
func invenioPage(base *url.URL, ident string) string {
	root, ok := strings.CutSuffix(base.Path, "/oai2d")
	if !ok {
		return ""
	}
	return (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: root + "/records/" + ident[strings.LastIndexByte(ident, ':')+1:]}).String()
}

// ofSite reports whether text is an address at the host of a repository, or at another host of its
// organization. Other addresses among relations are other works.
func ofSite(base *url.URL, text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	own, host := base.Hostname(), u.Hostname()
	if _, parent, _ := strings.Cut(own, "."); strings.Contains(parent, ".") {
		own = parent
	}
	return host == base.Hostname() || host == own || strings.HasSuffix(host, "."+own)
}

// links sorts the identifiers and relations of a record into files and landing pages.
func (d *description) links(list []string) {
	var resolved []string
	for _, text := range list {
		if m := doi().FindStringSubmatch(text); m != nil {
			resolved = append(resolved, "https://doi.org/"+m[1])
			continue
		}
		if handle, ok := strings.CutPrefix(text, "hdl:"); ok {
			resolved = append(resolved, "https://hdl.handle.net/"+handle)
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			continue
		}
		if texts[strings.ToLower(path.Ext(u.Path))] {
			if !slices.Contains(d.files, text) {
				d.files = append(d.files, text)
			}
		} else {
			d.landings = append(d.landings, text)
		}
	}
	d.Address = first(append(append(slices.Clone(d.landings), resolved...), d.files...))
	if len(d.landings) == 0 {
		d.landings = resolved
	}
}

var years = format.Pattern(`\b(1[0-9]|20)[0-9][0-9]\b`)

// yearOf returns the earliest year in dates: the date of deposit is later than that of
// publication.
func yearOf(dates []string) (year int) {
	for _, date := range dates {
		if y, err := strconv.Atoi(years().FindString(date)); err == nil && y <= time.Now().Year()+1 && (year == 0 || y < year) {
			year = y
		}
	}
	return year
}
