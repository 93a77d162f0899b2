package markup

import (
	"context"
	"html"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	cueTime = format.Pattern(`^\s*` + clock + `(?:\s*-->\s*|,)` + clock)
	cueTag  = format.Pattern(`\{[^{}\n]*\\p[1-9][^{}\n]*\}[^{}\n]*|\{[A-Za-z]:[^{}\n]*\}|<rt>[^<>\n]*</rt>|</?[a-zA-Z0-9.:][^<>\n]*>|\{\\[^{}\n]*\}`)
	unseen  = format.Pattern(`^(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)`)             // starts a block of WebVTT that is not displayed
	cueDVD  = format.Pattern(`^(?:\{\d+\}\{\d*\}|(?:\[\d+:\d\d(?:[.:]\d+)?\])+)`) // starts a line of MicroDVD or of a song
	cueHead = format.Pattern(`^\s*(?:\d+\s*\n\s*` + clock + `\s*-->|` + clock + `,` + clock + `\n)`)
	cueNote = format.Pattern(`\{[^{}\\]*\}`) // a comment of SubStation Alpha
)

const clock = `(?:\d+:)?\d{1,2}:\d\d[,.]\d{1,3}`

// startASS starts subtitles of SubStation Alpha.
const startASS = "[Script Info]"

// LooksSubtitles reports whether data is SubRip, WebVTT, SBV or SubStation Alpha subtitles.
func LooksSubtitles(data []byte) bool {
	head := strings.ReplaceAll(strings.TrimPrefix(string(data[:min(len(data), 256)]), string(format.BOM)), "\r\n", "\n")
	return strings.HasPrefix(head, startASS) || cueHead().MatchString(head) || strings.HasPrefix(head, "{") && cueDVD().MatchString(head) || head == "WEBVTT" || strings.HasPrefix(head, "WEBVTT\n") || strings.HasPrefix(head, "WEBVTT ")
}

// Subtitles reads the text of subtitles, one line a caption.
func Subtitles(ctx context.Context, src *format.Source) (*format.Text, error) {
	w, text, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	said, aside := false, false
	before := "" // a line outside of captions: the name of the next one, or lost text
	lost := func() {
		w.unread.Words("…", len(strings.Fields(before)))
		before = ""
	}
	show := func(caption, mark string) {
		for line := range strings.SplitSeq(caption, mark) {
			w.Gap(flow.Line)
			w.Builder.Text([]byte(html.UnescapeString(cueTag().ReplaceAllString(line, ""))))
		}
	}
	script, fields := strings.HasPrefix(text, startASS), 10
	err = w.each(text, func(l string) {
		switch {
		case script:
			if strings.HasPrefix(l, "Format:") && strings.HasSuffix(l, "Text") {
				fields = strings.Count(l, ",") + 1
			} else if values := strings.SplitN(l, ",", fields); len(values) == fields && strings.HasPrefix(l, "Dialogue:") {
				show(strings.NewReplacer(`\N`, "\n", `\n`, "\n", `\h`, " ").Replace(cueNote().ReplaceAllString(values[fields-1], "")), "\n")
			}
		case cueTime().MatchString(l):
			said, aside, before = true, false, ""
		case cueDVD().MatchString(l):
			show(l[len(cueDVD().FindString(l)):], "|")
		case l == "":
			said, aside = false, false
		case said:
			show(l, "\n")
		case aside, unseen().MatchString(l):
			aside = true
		default:
			lost()
			before = l
		}
	})
	if lost(); err != nil {
		return nil, err
	}
	return w.done()
}
