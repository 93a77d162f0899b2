package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/search"
	hints "github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/search/translated"
	"github.com/otisk/otisk/store"
)

// DefaultSize is the number of words in an n-gram unless the user sets another.
const DefaultSize = 7

// FromSettings is the value of [search.Options.Common] for which a session uses that of the settings.
const FromSettings = -1

// SearchOptions adds to opts the limits and dates of a search in the index that info describes, and the
// finders of hints that the settings ask for. Finders in opts take the place of that of translations. warn is called
// with warnings about lexica.
func (s *Session) SearchOptions(opts search.Options, info store.Info, warn func(error)) (search.Options, error) {
	if opts.Common == FromSettings {
		opts.Common = s.Settings.Common
	}
	if s.Settings.Hints && len(opts.Hints) == 0 && !opts.Exact && info.Keys().Documents > 0 {
		finder, err := Translations(warn)
		if err != nil {
			return opts, err
		}
		opts.Hints = append(opts.Hints, finder)
	}
	if s.Settings.Hints {
		opts.Hints = slices.Insert(opts.Hints, 0, hints.Finder(hints.NewRewritten(hints.DefaultParams())))
	}
	opts.MaxTime, opts.Version, opts.Canonical = s.Settings.MaxCheck, project.Version(), walk.Absolute
	opts.Reread = func(ctx context.Context, d store.Document) (string, error) { return s.reread(ctx, info.Bases, d) }
	var err error
	opts.Checked, opts.Changed, err = datesOf(os.Getenv(DateVariable), time.Now(), info.Changed)
	return opts, err
}

// Translations returns a finder of translated passages with the lexica of the user. It calls warn for a
// lexicon that cannot be used.
func Translations(warn func(error)) (*translated.Finder, error) {
	shelf, err := lexicon.Default()
	if err != nil {
		return nil, err
	}
	f := translated.New(func(ctx context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error) {
		return shelf.Between(ctx, from, to, warn)
	})
	f.CacheAt(func(languages [][2]string) (p translated.Place) {
		p.File, p.Stamp, p.Lexica = shelf.Kept(languages)
		return p
	})
	return f, nil
}

// DateVariable is the name of the environment variable with the date of reports, in seconds
// since 1970, for reproducible output:
// https://reproducible-builds.org/specs/source-date-epoch/
const DateVariable = "SOURCE_DATE_EPOCH"

// datesOf returns the date of a check and the date of its index. given, if not empty, replaces
// the clock: no date is later than it.
func datesOf(given string, now, changed time.Time) (checked, index time.Time, err error) {
	if given == "" {
		return now, changed, nil
	}
	seconds, err := strconv.ParseInt(given, 10, 64)
	if err != nil || seconds < 0 || seconds > 253402300799 {
		return now, changed, misuse("usage.want", "what", fmt.Sprintf("%s %q", DateVariable, given), "wanted", lang.NewMessage("usage.seconds"))
	}
	checked = time.Unix(seconds, 0).UTC()
	if changed.After(checked) {
		changed = checked
	}
	return checked, changed, nil
}

var errChanged = phrase.Error("said.changed-since", "changed since it was indexed")

// reread returns the text of an indexed file if the text is unchanged. The same file
// has another text if it is read in another encoding, for example. If the file is
// missing, reread tries the copies of its folder that were indexed as well.
func (s *Session) reread(ctx context.Context, bases []store.Base, d store.Document) (text string, err error) {
	for i, place := range places(bases, &d) {
		found, e := s.rereadAt(ctx, place, &d)
		if e == nil {
			return found, nil
		}
		if i == 0 {
			err = e
		}
	}
	return "", err
}

// places returns the paths at which the file of a document may be; the path it was
// indexed from is the first.
func places(bases []store.Base, d *store.Document) []string {
	list := []string{store.File(bases, d.Base, d.Path)}
	own := slices.IndexFunc(bases, func(b store.Base) bool { return b.Key == d.Base })
	for i, b := range bases {
		if own >= 0 && i != own && b.Name == bases[own].Name {
			list = append(list, b.File(d.Path))
		}
	}
	return list
}

func (s *Session) rereadAt(ctx context.Context, place string, d *store.Document) (string, error) {
	opts := s.Read
	opts.Encoding = d.Charset
	doc, err := document.Open(ctx, place, opts)
	if err != nil {
		return "", err
	}
	same := store.TextSum(doc.Text, d.Rules, d.NewLine) == d.TextSum
	if d.TextSum == "" {
		same = doc.Content == d.Content
	}
	if !same {
		return "", errChanged
	}
	return doc.Text, nil
}
