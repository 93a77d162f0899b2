package look

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/internal/lists"
)

// frames are the declarations of an animation at its start and at its end, and of the moment
// between them at which it shows most.
type frames struct{ first, last, shown []Property }

// keyframes reads the block of an animation.
func (s *Sheet) keyframes(ctx context.Context, name, block string) {
	at := map[float64][]Property{}
	for r := newReader(ctx, block); ; {
		head, end := r.head(false)
		if end != css.LeftBraceToken {
			break
		}
		list := r.declarations()
		for _, part := range split(head, atComma) {
			part = strings.NewReplacer("from", "0%", "to", "100%").Replace(strings.TrimSpace(part))
			at[Share(part, 1)] = append(at[Share(part, 1)], list...)
		}
	}
	f := frames{first: at[0], last: at[1]}
	f.shown = f.last
	for _, list := range at {
		if hides(f.shown) && !hides(list) {
			f.shown = list
		}
	}
	lists.Put(&s.frames, strings.Trim(strings.TrimSpace(name), `"'`), f)
}

// Animated adds to declarations those of the animations that they start: the last ones if they stay, the
// first ones if it pauses, and those that show most if it repeats.
func (s *Sheet) Animated(list []Property) []Property {
	if len(s.frames) == 0 {
		return list
	}
	set := map[string]string{}
	for _, p := range list {
		if strings.HasPrefix(p.Name, "animation") && len(p.Value) <= maxValue {
			if set[p.Name] = p.Value; p.Name == "animation" {
				for _, part := range animations[1:] {
					delete(set, part)
				}
			}
		}
	}
	if len(set) == 0 {
		return list
	}
	whole := lists.Map(animations, func(name string) string { return strings.ReplaceAll(set[name], ",", " , ") })
	words := split(strings.Join(whole, " "), isCSSSpace)
	list = slices.Clone(list)
	for _, name := range words {
		if f, ok := s.frames[strings.Trim(name, `"'`)]; ok {
			list = append(list, f.at(words, set["animation-timeline"] != "")...)
		}
	}
	return list
}

// animations are the properties of animations.
var animations = []string{"animation", "animation-name", "animation-duration", "animation-delay", "animation-iteration-count", "animation-fill-mode",
	"animation-play-state", "animation-direction"}

// longTime is the number of seconds that a reader stays on a page at most.
const longTime = 600

// at returns the declarations in effect for an animation with these values. scrolled is set if it depends
// on the position of the page.
func (f frames) at(values []string, scrolled bool) []Property {
	duration, delay, times := 0.0, 0.0, 0
	for _, v := range values {
		number, milli := strings.CutSuffix(v, "ms")
		n, err := strconv.ParseFloat(strings.TrimSuffix(number, "s"), 64)
		if err != nil || !strings.HasSuffix(v, "s") {
			continue
		}
		if milli {
			n /= 1000
		}
		if times++; times == 1 {
			duration = n
		} else {
			delay = n
		}
	}
	has := func(value string) bool { return slices.Contains(values, value) }
	stays := has("both") || has("forwards")
	switch waits := has("both") || has("backwards"); {
	case scrolled:
		return f.shown
	case (delay > longTime || has("paused") && delay > 0) && !waits:
		return nil
	case delay > longTime, delay >= 0 && (has("paused") || duration > longTime):
		if has("reverse") {
			return f.last
		}
		return f.first
	case has("infinite"), delay < 0 && (has("paused") || duration > longTime):
		return f.shown
	case stays && has("reverse"):
		return f.first
	case stays && (has("alternate") || has("alternate-reverse")):
		return f.shown
	case stays:
		return f.last
	}
	return nil
}
