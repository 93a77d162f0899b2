package phrase

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// systemErrors are the messages of errors of the system.
var systemErrors = []struct {
	err     error
	message string
}{
	{fs.ErrNotExist, "system.no-such"}, {fs.ErrPermission, "system.denied"}, {fs.ErrExist, "system.exists"},
	{syscall.ENOTDIR, "system.no-folder"}, {syscall.EISDIR, "system.folder"}, {syscall.ENOSPC, "system.full"}, {syscall.EDQUOT, "system.quota"},
	{syscall.EROFS, "system.read-only"}, {syscall.EMFILE, "system.open-files"}, {syscall.EIO, "system.device"},
	{syscall.ENAMETOOLONG, "system.long-name"}, {syscall.EINVAL, "system.invalid"}, {syscall.ECONNREFUSED, "system.refused"},
	{io.ErrUnexpectedEOF, "system.cut-off"}, {io.EOF, "system.end"}, {context.Canceled, "system.interrupted"}, {context.DeadlineExceeded, "system.time"},
}

// System returns the name of the message of an error of the system, "" for other errors.
func System(err error) string {
	for _, s := range systemErrors {
		if errors.Is(err, s.err) {
			return s.message
		}
	}
	return ""
}

// Wrapped returns the errors that err wraps, but for those without a text.
func Wrapped(err error) (list []error) {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		list = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		list = e.Unwrap()
	}
	return slices.DeleteFunc(list, func(err error) bool { return err == nil || err.Error() == "" })
}

// xmlReasons are the reasons of package encoding/xml that are the same for every file.
var xmlReasons = []string{
	"unexpected EOF", "unexpected EOF in CDATA section", "invalid UTF-8", "invalid sequence <!- not part of <!--",
	`invalid sequence "--" not allowed in comments`, "invalid <![ sequence", "expected element name after <", "expected element name after </",
	"expected target name after <?", "expected attribute name in element", "expected /> in element", "attribute name without = in element",
	"unquoted or missing attribute value in element", "unescaped ]]> not in CDATA section", "unescaped < inside quoted string",
}

// xmlNamed are the reasons that name a part of the file.
var xmlNamed = []struct {
	pattern    *regexp.Regexp
	name, text string
}{
	{regexp.MustCompile(`^unexpected end element (?P<element>.+)$`), "said.xml-end", "unexpected end element {element}"},
	{regexp.MustCompile(`^element (?P<element>\S+) closed by (?P<end>\S+)$`), "said.xml-closed", "element {element} closed by {end}"},
	{regexp.MustCompile(`^invalid characters between (?P<element>.+) and >$`), "said.xml-between", "invalid characters between {element} and >"},
	{regexp.MustCompile(`^invalid character entity (?P<entity>.+)$`), "said.xml-entity", "invalid character entity {entity}"},
	{regexp.MustCompile(`^illegal character code (?P<code>.+)$`), "said.xml-code", "illegal character code {code}"},
	{regexp.MustCompile(`^invalid XML name: (?P<name>.+)$`), "said.xml-name", "invalid XML name: {name}"},
	{regexp.MustCompile(`^unsupported version (?P<version>".*");`), "said.xml-version", "XML version {version} is not supported"},
}

// XML returns the reason of an error of package encoding/xml, without the line.
func XML(err error) error {
	if inner := Wrapped(err); len(inner) > 0 {
		return inner[0] // that of the reader of an encoding
	}
	text := strings.TrimPrefix(err.Error(), "xml: ")
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		text = syntax.Msg
	}
	if slices.Contains(xmlReasons, text) {
		return Fixed(text)
	}
	for _, r := range xmlNamed {
		m := r.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var args []any
		for i, name := range r.pattern.SubexpNames()[1:] {
			args = append(args, name, m[i+1])
		}
		return Error(r.name, r.text, args...)
	}
	return errors.New(text)
}
