package archive

import (
	"encoding/xml"
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
	h := relationReader{base: path.Dir("/" + part)}
	dir, name := path.Split(part)
	c.WalkIf(path.Join(dir, "_rels", name+".rels"), &h)
	return h.found
}

// A relationReader parses a .rels part.
type relationReader struct {
	base  string
	found Relations
}

func (r *relationReader) Start(name string, attrs []xml.Attr) {
	if name != "Relationship" {
		return
	}
	rel := Relation{ID: xmlwalk.Attr(attrs, "Id"), Type: xmlwalk.Attr(attrs, "Type")}
	if target := xmlwalk.Attr(attrs, "Target"); xmlwalk.Attr(attrs, "TargetMode") == "External" {
		rel.Outside = target
	} else {
		target = strings.ReplaceAll(target, `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(r.base, target)
		}
		rel.Target = strings.TrimPrefix(path.Clean(target), "/")
	}
	r.found = append(r.found, rel)
}
func (*relationReader) End(string)  {}
func (*relationReader) Text([]byte) {}
