package search

import "encoding/binary"

// markAlike marks the sources whose passages are at the same places of the suspect as those of an
// earlier source: copies of one text, or texts that share one page. All are listed with their
// passages, but a reader needs to read only one.
func (r *Result) markAlike() {
	places := make([][]byte, len(r.Sources))
	for _, p := range r.Passages {
		at := &places[p.Source]
		*at = binary.AppendVarint(binary.AppendVarint(*at, int64(p.Suspect.Start)), int64(p.Suspect.End))
	}
	first := map[string]int{}
	for i := range r.Sources {
		if len(places[i]) == 0 {
			continue
		}
		one, known := first[string(places[i])]
		if !known {
			first[string(places[i])] = i
			continue
		}
		r.Sources[i].LikeSource = &one
		r.Sources[one].Alike++
	}
}
