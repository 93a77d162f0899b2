package corpus

import "github.com/otisk/otisk/language"

// LeftOut counts the documents that were skipped because of their language.
type LeftOut struct {
	Foreign int `json:"foreign,omitempty"` // in a language that was not requested
	Unknown int `json:"unknown,omitempty"` // in a language that was not recognized
}

func (l *LeftOut) add(code string) {
	if code == language.Unknown {
		l.Unknown++
	} else {
		l.Foreign++
	}
}

func (l *LeftOut) merge(o LeftOut) { l.Foreign, l.Unknown = l.Foreign+o.Foreign, l.Unknown+o.Unknown }
