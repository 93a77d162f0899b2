package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/exclude"
	"github.com/otisk/otisk/search/score"
)

// reviewOptions hold the flags that exclude passages and sources from the score. A report still
// shows them, and its page can include them again.
type reviewOptions struct {
	filter       report.Filter
	sources      []string      // values of --exclude-source
	starts       []sourceStart // the same, parsed
	keepSelf     bool
	withoutAmong bool
	failOver     float64  // percent; -1 if not given
	failGrades   []string // grades whose words failOver counts, by their names for flags; none for all
	anonymous    bool
	noTitles     bool
	key          string // secret key of the ids in anonymous reports
	open         bool
	summaryFile  string
	places       bool   // print byte offsets in the text report
	pages        string // "", pagesWithPassages or pagesAll
}

// newReviewOptions returns the default options. They have a random key, for commands without an
// index; an index has a key of its own.
func newReviewOptions() reviewOptions { return reviewOptions{failOver: -1, key: rand.Text()} }

// pseudonyms returns the pseudonyms for anonymous reports, nil without --anonymous.
func (o *reviewOptions) pseudonyms() *report.Pseudonyms {
	if !o.anonymous {
		return nil
	}
	return &report.Pseudonyms{Key: o.key, Titles: o.noTitles}
}

func (o *reviewOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.filter.Kinds, "exclude", nil, "exclude these `kinds` of stretches from the score: "+strings.Join(exclude.Kinds(), ", "))
	f.IntVar(&o.filter.PassageWords, "min-passage", 0, "exclude passages of fewer `words` from the score")
	f.IntVar(&o.filter.SourceWords, "min-source", 0, "exclude sources that cover fewer `words` from the score")
	f.Float64Var(&o.filter.SourcePercent, "min-source-percent", 0, "exclude sources that cover a smaller `percent` of the text from the score")
	f.StringArrayVar(&o.sources, "exclude-source", nil, "exclude sources whose path, or prefix and path, starts with this `text` from the score; may be repeated")
	f.BoolVar(&o.keepSelf, "include-self", false, "count the text itself as a source, if it is in the index")
	o.failFlags(f, "exit with status 3 if a score is over this `percent`, or 6 if one could be, since not everything was searched")
	f.BoolVar(&o.anonymous, "anonymous", false, "replace names, authors and paths in the reports by ids; titles are kept")
	f.BoolVar(&o.noTitles, "no-titles", false, "with --anonymous: omit titles, too")
	f.BoolVarP(&o.places, "verbose", "v", false, "add the byte offsets of each passage to the text report")
	pagesFlag(f, &o.pages)
	o.resultFlags(f)
}

func (o *reviewOptions) resultFlags(f *pflag.FlagSet) {
	f.StringVar(&o.summaryFile, "summary-file", "", "`file` for a summary with one line per text: a table (.csv) or JSON (.jsonl)")
	f.BoolVar(&o.open, "open", false, "open the HTML report, or the overview of several, in a browser")
}

var gradesByFlag = map[string]string{"verbatim": search.Verbatim, "edited": search.Edited, "reworded": search.Reworded}

func (o *reviewOptions) failFlags(f *pflag.FlagSet, description string) {
	f.Float64Var(&o.failOver, "fail-over", o.failOver, description)
	f.Lookup("fail-over").DefValue = "0"
	f.StringSliceVar(&o.failGrades, "fail-over-grade", nil, "with --fail-over: count only the words of these `grades`: verbatim, edited, reworded")
}

func (o *reviewOptions) checkFail(cmd *cobra.Command) error {
	if cmd.Flags().Changed("fail-over") && !(o.failOver >= 0 && o.failOver <= 100) {
		return misuse("usage.want", "what", fmt.Sprintf("--fail-over %v", o.failOver), "wanted", lang.NewMessage("usage.percentage"))
	}
	for _, g := range o.failGrades {
		if gradesByFlag[g] == "" {
			return oneOf("--fail-over-grade "+g, "verbatim", "edited", "reworded")
		}
	}
	switch given := cmd.Flags().Changed("fail-over-grade"); {
	case given && o.failOver < 0:
		return misuse("usage.goes-with", "flag", "--fail-over-grade", "other", "--fail-over")
	case given && len(o.failGrades) == 0:
		return oneOf(`--fail-over-grade ""`, "verbatim", "edited", "reworded")
	}
	return nil
}

// failing returns the percentage of a score that --fail-over compares with its limit.
func (o *reviewOptions) failing(s search.Score) float64 {
	if len(o.failGrades) == 0 {
		return s.Percent
	}
	words := 0
	for name, grade := range gradesByFlag {
		if slices.Contains(o.failGrades, name) {
			words += s.Grades[grade]
		}
	}
	return score.Percent(words, s.Words)
}

func (o *reviewOptions) amongFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.withoutAmong, "exclude-among", false, "exclude the other texts of --among from the score; the report still shows them")

}

func (o *reviewOptions) check(cmd *cobra.Command, t target) error {
	for _, k := range o.filter.Kinds {
		if !slices.Contains(exclude.Kinds(), k) {
			return misuse("usage.want", "what", "--exclude "+k, "wanted", strings.Join(exclude.Kinds(), ", "))
		}
	}
	if slices.Contains(o.sources, "") {
		return misuse("usage.every-source")
	}
	o.starts = append(o.starts, lists.Map(o.sources, newSourceStart)...)
	if o.filter.PassageWords < 0 || o.filter.SourceWords < 0 {
		return misuse("usage.least-words")
	}
	if !(o.filter.SourcePercent >= 0 && o.filter.SourcePercent <= 100) {
		return misuse("usage.want", "what", fmt.Sprintf("--min-source-percent %v", o.filter.SourcePercent), "wanted", lang.NewMessage("usage.percentage"))
	}
	if err := o.checkFail(cmd); err != nil {
		return err
	}
	if o.noTitles && !o.anonymous {
		return misuse("usage.goes-with", "flag", "--no-titles", "other", "--anonymous")
	}
	if ext := strings.TrimPrefix(filepath.Ext(o.summaryFile), "."); o.summaryFile != "" && !slices.Contains(report.RowFormats(), strings.ToLower(ext)) {
		return misuse("usage.want", "what", "--summary-file "+o.summaryFile, "wanted", lang.NewMessage("usage.ends-in", "endings", joined("usage.or", []string{".csv", ".jsonl"})))
	}
	if err := spareIndex("--summary-file", o.summaryFile); err != nil {
		return err
	}
	if o.open && (t.out == "" || !slices.Contains(t.formats, "html")) {
		return misuse("usage.open")
	}
	if o.pages != "" && !slices.Contains(t.formats, "html") {
		return misuse("usage.pages-html")
	}
	if o.pages != "" && o.pages != pagesWithPassages && o.pages != pagesAll {
		return misuse("usage.want", "what", "--pages="+o.pages, "wanted", pagesWithPassages+", "+pagesAll)
	}
	return nil
}

func (o *reviewOptions) apply(r *report.Report) {
	if o.keepSelf && r.WithItself != nil {
		report.IncludeSelf(r)
	}
	report.Exclude(r, o.filter, o.excludes)
}

// excludes returns the flag that excludes a source, with its value, "" if none does.
func (o *reviewOptions) excludes(src *search.Source) string {
	if src.Among && o.withoutAmong {
		return "--exclude-among"
	}
	for _, start := range o.starts {
		if start.begins(src) {
			return "--exclude-source " + start.typed
		}
	}
	return ""
}

// A sourceStart is a value of --exclude-source: as typed, as the prefix of a name and as the
// prefix of a path. The prefixes are in NFC.
type sourceStart struct{ typed, name, path string }

// newSourceStart parses a value of --exclude-source. If it ends in a slash, its path does, too,
// so that it matches a whole folder name only.
func newSourceStart(typed string) sourceStart {
	path := walk.Absolute(typed)
	if last := typed[len(typed)-1]; last == '/' || os.IsPathSeparator(last) {
		path = strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
	}
	return sourceStart{typed, norm.NFC.String(typed), norm.NFC.String(path)}
}

// begins reports whether the name or the path of a source starts with s, in any Unicode
// normalization form.
func (s *sourceStart) begins(src *search.Source) bool {
	return strings.HasPrefix(norm.NFC.String(src.Name), s.name) || strings.HasPrefix(norm.NFC.String(src.Path), s.path)
}

// leftOutMuch returns a warning if --exclude excludes more than a third of a text, nil otherwise, and the
// number of these words. A text may be written as one quotation or bibliography in order to evade the check.
func (o *reviewOptions) leftOutMuch(r *report.Report) (out int, warning error) {
	words := 0
	for _, e := range r.Exclusions { // in the order of the text
		if end := e.Word + e.Words; slices.Contains(o.filter.Kinds, e.Kind) && end > words {
			out += end - max(words, e.Word)
			words = end
		}
	}
	if out*3 <= r.Suspect.Words {
		return out, nil
	}
	return out, lang.NewMessage("error.left-out-much", "n", out, "words", r.Suspect.Words, "percent", lang.Percent(r.Score.Percent))
}

type overError struct {
	limit  float64
	grades []string // counted, none for all
	texts  []string
}

// Message returns the error as a message of package lang.
func (e overError) Message() (string, []any) {
	if len(e.grades) > 0 {
		return "error.score-over-grades", []any{"grades", joined("usage.or", e.grades), "percent", lang.Limit(e.limit), "names", strings.Join(e.texts, ", ")}
	}
	return "error.score-over", []any{"percent", lang.Limit(e.limit), "names", strings.Join(e.texts, ", ")}
}

func (e overError) Error() string { return lang.English(e) }

// An unsearchedError lists texts whose scores might be over the limit if everything had been
// searched.
type unsearchedError overError

// Message returns the error as a message of package lang.
func (e unsearchedError) Message() (string, []any) {
	return "error.score-unsure", []any{"percent", lang.Limit(e.limit), "names", strings.Join(e.texts, ", ")}
}

func (e unsearchedError) Error() string { return lang.English(e) }

type verdict struct {
	over   []string // texts over the limit
	unsure []string // texts that might be over the limit
}

// verdictOn compares the score of a report with the limit of --fail-over, for the report itself.
func (o *reviewOptions) verdictOn(r *report.Report) (over, unsure error) {
	var v verdict
	v.add(o, r.Suspect.Path, r)
	err := v.err(o)
	if len(v.over) > 0 {
		return err, nil
	}
	return nil, err
}

func (v *verdict) add(o *reviewOptions, path string, r *report.Report) {
	switch percent := o.failing(r.Final()); {
	case o.failOver < 0:
	case percent > o.failOver:
		v.over = append(v.over, path)
	case percent+r.CouldRise(percent) > o.failOver:
		v.unsure = append(v.unsure, path)
	}
}

// err returns an error that lists the texts over the limit, or else those that might be; nil if
// there are none.
func (v *verdict) err(o *reviewOptions) error {
	slices.Sort(v.over)
	slices.Sort(v.unsure)
	switch {
	case len(v.over) > 0:
		return overError{o.failOver, o.failGrades, v.over}
	case len(v.unsure) > 0:
		return unsearchedError{o.failOver, o.failGrades, v.unsure}
	}
	return nil
}

func templates(ctx context.Context, s *session.Session, paths []string) ([]string, error) {
	var texts []string
	for _, path := range paths {
		doc, err := document.Open(ctx, path, s.Read)
		if err != nil {
			return nil, about("--template "+path, err)
		}
		texts = append(texts, doc.Text)
	}
	return texts, nil
}

// readDecisions reads a file of decisions that was saved from the page of a report.
func readDecisions(path string) (*report.Decisions, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, about("--decisions", err)
	}
	d, err := report.ReadDecisions(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}
