package main

import (
	"regexp"
	"strings"
)

// A finding is one phrase to rewrite.
type finding struct {
	path   string
	line   int
	phrase string
	advice string
}

// A rule finds a phrase by its pattern, but not where unless matches at the
// same place.
type rule struct {
	pattern, unless *regexp.Regexp
	advice          string
}

func phrase(pattern, unless, advice string) rule {
	r := rule{pattern: regexp.MustCompile(`(?i)\b(?:` + pattern + `)`), advice: advice}
	if unless != "" {
		r.unless = regexp.MustCompile(`(?i)^(?:` + unless + `)`)
	}
	return r
}

// rules has the phrases in two parts: old-fashioned ones, and a pronoun, a
// "what" clause or a general verb in place of the noun and the field's verb.
var rules = []rule{
	phrase(`anew\b`, "", `again, from scratch`),
	phrase(`as good as (no|every|all|the same|nothing|none)\b`, "", `almost`),
	phrase(`(of|by) its own accord\b`, "", `name the cause`),
	phrase(`from (\d+|n|it) on\b`, "", `starting at N, N or more, after that`),
	phrase(`(that|which|who|what|nothing) parts (it|them|the|a|an|two|words|paragraphs|cells|sentences|texts)\b|parts (them|words|paragraphs|cells|sentences|texts) |parted\b`, "", `separates, splits`),
	phrase(`(stands|stood|standing)\b|(words?|texts?|they|that|which|can|may|must|could|would|not|to) stand\b`, `(that |which |can |to )?(stands?|stood|standing) (for|out|by|in for)\b|standing (order|apart)`, `is, appears, occurs`),
	phrase(`tells? (what|how|which|whether|where|that|of|if|why|the|a|in)\b|(is|are|was|were|be|been|being|not) told\b`, `tells? that`, `says, reports, detects, distinguishes`),
	phrase(`in front of\b`, "", `before`),
	phrase(`behind (it|them|its|the|a|an|this|that|which)\b`, `behind (the|a|an) (proxy|server|firewall|login|flag|interface)`, `after, past, beyond`),
	phrase(`(not to|could not|cannot|can not|is to|are to) be had\b`, "", `could not be read, is not available`),
	phrase(`beside (each other|one another)\b`, "", `at once, in parallel`),
	phrase(`(make|makes|made) out\b`, "", `finds out, guesses, detects`),
	phrase(`percent go from\b`, "", `from 0 to 100 percent`),
	phrase(`(fraud|thief|thieves|cheaters?)\b`, "", `suspect, checked text`),

	phrase(`(says|said|tells|told|knows|known|asks|asked|learned) of (a|an|the|it|them|its|their|each|every|what)\b`, "", `name what is said: the metadata of, reports, describes`),
	phrase(`(there )?(is|are|was|were) none\b`, `there|(is|are) none of`, `is not a …, there is no …`),
	phrase(`(is|are|was|were) (another|others|another one)(\.|,|;|:|$| here| there)`, "", `differs, no longer applies`),
	phrase(`(does|do|did) what (that|those|the|a|an|it|they)\b|(is|are) what (that|those|it|they)\b`, "", `name it: implements, equals`),
	phrase(`(is|are) as (one|those|ones|if it|if they)\b`, "", `is treated as, behaves like`),
	phrase(`what (it|they|he|one|that|this|each|both) (has|have|had)\b`, "", `the noun: its content, its fields, its documents`),
	phrase(`what (is|was|are|were) (said|told|had|meant|asked|cut off|taken out|known|there|to be)\b`, `what (is|was) meant by`, `the noun that is meant`),
	phrase(`of (which|what|that|an earlier|an older|the same|one|another) (day|age)\b`, "", `date, version, older`),
	phrase(`of one name\b`, "", `with the same name`),
	phrase(`(goes|went) on\b`, `(goes|went) on (the|a|to) (line|page)`, `continues`),
	phrase(`ends? well\b|comes? to an end\b|(the|its) end comes\b`, "", `succeeds, ends, returns io.EOF`),
	phrase(`(whence|thence|whereof|thereof|wherein|therein|hitherto|wherewith|therewith|wherefore)\b`, "", `old-fashioned`),
	phrase(`(one|ones) more to\b`, "", `an additional one`),
	phrase(`(for|by|in) want of\b|for the sake of\b|be it (a|an|the)\b|as it were\b|so to (say|speak)\b`, "", `say it plainly`),
	phrase(`(has|have|had) it that\b|such as (have|are|is|were|do|can|no)\b`, "", `those that`),
	phrase(`gives (the |a |each |every |it |them ).{0,40}\bwhat\b`, "", `the field's verb: writes, replaces, sets`),
}

// opening finds a sentence whose subject is a "What" clause.
var opening = regexp.MustCompile(`(?:^|[.:] )(What|Whoever|Whatever) [a-z][^.?]*(\.|$)`)

// check returns the findings in b. Lines with "prose:ok" are left out.
func (b block) check() []finding {
	var text strings.Builder
	starts := make([]int, 0, len(b))
	for _, l := range b {
		starts = append(starts, text.Len())
		if !strings.Contains(l.text, "prose:ok") {
			text.WriteString(l.text + " ")
		}
		if l.text == "" {
			text.WriteString("\n")
		}
	}
	all := text.String()
	var found []finding
	add := func(at, end int, advice string) {
		i := len(starts) - 1
		for starts[i] > at {
			i--
		}
		found = append(found, finding{line: b[i].number, phrase: strings.TrimSpace(all[at:end]), advice: advice})
	}
	for _, r := range rules {
		for _, m := range r.pattern.FindAllStringIndex(all, -1) {
			if r.unless == nil || !r.unless.MatchString(all[m[0]:]) {
				add(m[0], m[1], r.advice)
			}
		}
	}
	for _, m := range opening.FindAllStringSubmatchIndex(all, -1) {
		add(m[2], m[3], `name the subject of the sentence`)
	}
	return found
}
