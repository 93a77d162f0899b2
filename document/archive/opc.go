package archive

import (
	"cmp"
	"encoding/xml"
	"net/url"
	"path"
	"strings"

	"github.com/otisk/otisk/document/xmlwalk"
)

// A Relation links a part of an Office Open XML document to another part.
type Relation struct {
	ID, Type string
	Target   string // name of the part; "" for a target outside the document
	Outside  string // address of a target outside the document
}

// Relations are the relations of one part.
type Relations []Relation

// Target returns the target of the relation with this id, or "".
func (r Relations) Target(id string) string {
	for _, rel := range r {
		if rel.ID == id {
			return rel.Target
		}
	}
	return ""
}

// Outside returns the address of the target outside of the document with this id, or "".
func (r Relations) Outside(id string) string {
	for _, rel := range r {
		if rel.ID == id {
			return rel.Outside
		}
	}
	return ""
}

// OfType returns the targets of all relations whose type URI ends in "/" and name.
func (r Relations) OfType(name string) []string {
	var parts []string
	for _, rel := range r {
		if rel.Target != "" && strings.HasSuffix(rel.Type, "/"+name) {
			parts = append(parts, rel.Target)
		}
	}
	return parts
}

// Relations returns the relations of a part; part is "" for the document as a whole.
func (c *Container) Relations(part string) Relations {
	var found Relations
	dir, base := path.Split(part)
	c.WalkIf(path.Join(dir, "_rels", base+".rels"), xmlwalk.Starts(func(name string, attrs []xml.Attr) {
		if name != "Relationship" {
			return
		}
		rel := Relation{ID: xmlwalk.Attr(attrs, "Id"), Type: xmlwalk.Attr(attrs, "Type")}
		if target := xmlwalk.Attr(attrs, "Target"); xmlwalk.Attr(attrs, "TargetMode") == "External" {
			rel.Outside = target
		} else {
			rel.Target = c.Resolve(part, target)
		}
		found = append(found, rel)
	}))
	return found
}

// Resolve returns the name of the member that a reference in the member from means: as it is
// written, or else without fragment, query and percent-encoding, or else the only member with that base
// name. If there is none, it returns the plain name.
func (c *Container) Resolve(from, href string) string {
	name := inside(from, href)
	if c.Has(name) {
		return name
	}
	if at := strings.IndexAny(href, "#?"); at >= 0 {
		href = href[:at]
	}
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	name = inside(from, href)
	if c.Has(name) || strings.Contains(href, "://") {
		return name
	}
	return cmp.Or(c.only(path.Base(name)), name)
}

// inside returns the name of the member that a reference in the member from states.
func inside(from, href string) string {
	href = strings.ReplaceAll(href, `\`, "/")
	if !strings.HasPrefix(href, "/") {
		href = path.Join("/", path.Dir(from), href)
	}
	return strings.TrimPrefix(path.Clean(href), "/")
}

// only returns the name of the only member with a base name, in any case, such as "content.opf" or "*.opf"; "" for none
// or several.
func (c *Container) only(base string) string {
	if c.bases == nil {
		c.bases = map[string]string{}
		for name := range c.files {
			base := strings.ToLower(path.Base(name))
			for _, key := range []string{base, "*" + path.Ext(base)} {
				_, twice := c.bases[key]
				if c.bases[key] = name; twice {
					c.bases[key] = ""
				}
			}
		}
	}
	return c.bases[strings.ToLower(base)]
}

// MainPart returns the member that [Content_Types].xml states as the main part, "" for none.
func (c *Container) MainPart() string {
	var part string
	c.WalkIf("[Content_Types].xml", xmlwalk.Starts(func(name string, attrs []xml.Attr) {
		if name == "Override" && mainType.MatchString(xmlwalk.Attr(attrs, "ContentType")) {
			part = xmlwalk.Attr(attrs, "PartName")
		}
	}))
	return strings.TrimPrefix(part, "/")
}
