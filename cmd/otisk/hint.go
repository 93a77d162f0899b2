package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/gather/harvest"
	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// The errors of packages do not name commands and flags. This file adds them: hint for the error
// that ends a command, reasonOf and noteOf for a problem of one file or record.

// hint returns advice on the error of a command in the language of p, "" if there is none.
func hint(err error, p *lang.Printer) string {
	var hinted hintedError
	var server *wire.Error
	var differs session.DifferenceError
	switch {
	case errors.As(err, &hinted):
		return p.Err(hinted.hint)
	case errors.As(err, &server):
		return serverHint(server, p)
	case errors.As(err, &differs) && differs.Setting == config.WordsSetting:
		return p.Text("usage.copy-words", "index", differs.Index)
	case errors.As(err, &differs):
		return p.Text("hint.settings")
	case errors.As(err, new(verifiedError)):
		return p.Text("hint.index-again")
	}
	for _, a := range []advice{
		{esclient.ErrStale, "hint.stale"}, {esclient.ErrForeign, "hint.foreign"}, {esclient.ErrTemplate, "hint.template"}, {segment.ErrOutdated, "hint.outdated"},
		{esclient.ErrOutdated, "hint.cluster-outdated"}, {syscall.ENOSPC, "hint.room"}, {search.ErrNoSize, "hint.size"},
		{store.ErrNoIndex, "hint.no-index"}, {store.ErrLocked, "hint.locked"}, {store.ErrReadOnly, "hint.read-only"},
		{esclient.ErrGone, "hint.gone"}, {store.ErrDamaged, "hint.verify"}, {segment.ErrNotIndex, "hint.not-index"}, {store.ErrFormat, "hint.format"}, {fetch.ErrForbidden, "hint.own-network"},
	} {
		if errors.Is(err, a.on) {
			return p.Text(a.message)
		}
	}
	if path := new(fs.PathError); errors.As(err, &path) && errors.Is(err, fs.ErrPermission) {
		if group := host.Group(path.Path); group != "" {
			return p.Text("hint.group", "group", group)
		}
	}
	return ""
}

var serverHints = map[wire.Kind]string{
	wire.Unreachable:      "hint.unreachable",
	wire.TimedOut:         "hint.timed-out",
	wire.BadCertificate:   "hint.certificate",
	wire.NoTLS:            "hint.no-tls",
	wire.Unauthorized:     "hint.unauthorized",
	wire.Expired:          "hint.expired",
	wire.Forbidden:        "hint.forbidden",
	wire.NotElasticsearch: "hint.not-elasticsearch",
	wire.TooOld:           "hint.too-old",
	wire.Red:              "hint.red",
	wire.ReadOnly:         "hint.blocked",
	wire.Broken:           "hint.broken",
	wire.Overloaded:       "hint.overloaded",
}

// serverHint returns advice on an error of a cluster in the language of p, "" if there is none.
func serverHint(err *wire.Error, p *lang.Printer) string {
	closed, isClosed := err.ClosedIndex()
	privilege, onCluster := err.Privilege()
	switch {
	case onCluster:
		return p.Text("hint.cluster-privilege", "privilege", privilege)
	case privilege != "":
		return p.Text("hint.privilege", "privilege", privilege)
	case err.Kind == wire.Unreachable && err.CutOff():
		return p.Text("hint.cut-off")
	case err.DiskFull():
		return p.Text("hint.disk-full", "setting", `{"index.blocks.read_only_allow_delete": null}`)
	case err.Kind == wire.Refused && isClosed:
		return p.Text("hint.closed", "name", closed)
	}
	if name := serverHints[err.Kind]; name != "" {
		return p.Text(name)
	}
	return ""
}

type advice struct {
	on      error
	message string
}

var onFiles = []advice{
	{indexer.ErrSameID, "hint.same-id"}, {indexer.ErrNameTaken, "hint.name-taken"}, {indexer.ErrEmptyFolder, "hint.empty-folder"},
	{watch.ErrMissing, "hint.missing"}, {harvest.ErrShortList, "hint.short-list"}, {fetch.ErrForbidden, "hint.own-network"},
}

// onTexts is the advice on texts of results, such as the reason why a file was not read. The key
// is a part of the English text.
var onTexts = []struct{ part, message string }{
	{document.ErrEncoding.Error(), "hint.encoding"}, {document.PicturesUnread, "hint.save-as-pdf"}, {document.NoTextColumn, "hint.field"},
}

// reasonOf returns the reason why a file or record cannot be used, and a remedy.
func reasonOf(p *lang.Printer, err error) string {
	for _, a := range onFiles {
		if errors.Is(err, a.on) {
			return p.Err(err) + "; " + p.Text(a.message)
		}
	}
	return p.Err(err) + textAdvice(err.Error(), p)
}

// noteOf returns a note on a file in the language of p, and a remedy.
func noteOf(p *lang.Printer, note error) string { return p.Err(note) + textAdvice(note.Error(), p) }

// textAdvice returns a semicolon and the advice on an English text, "" if there is none.
func textAdvice(english string, p *lang.Printer) string {
	for _, a := range onTexts {
		if strings.Contains(english, a.part) {
			return "; " + p.Text(a.message)
		}
	}
	return ""
}
