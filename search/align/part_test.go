package align

import (
	"strings"
	"testing"
)

const (
	copiedRun = `In a ledger bound with sailcloth he noted their names, their flags and the colour of their lanterns when the winter fog`
	before    = `Every child on our coast has heard how the church of white stone came to its second tower after the fire of that summer.`
	after     = `Nobody could say afterwards which of the boats had been the first to reach the harbour mouth on that morning in spring.`
	theirFore = `A merchant from the south sold the last of his precious stone to the bishop who had lost his way among the marshes.`
	theirRest = `The keepers of the inland gates disagreed, since their wages depended on what the boats carried, and they went on strike.`
)

// TestOwnWordsBesideACopy: a run of equal words is verbatim with exactly its words on both sides,
// whatever is beside it, also where the sentences beside it share words with those beside the original.
func TestOwnWordsBesideACopy(t *testing.T) {
	theirs := strings.Join([]string{theirFore, copiedRun, theirRest}, " ")
	words := strings.Fields(copiedRun)
	for _, tt := range []struct{ name, suspect string }{
		{"between sentences", before + " " + copiedRun + ". " + after},
		{"at the start", copiedRun + ". " + after},
		{"at the end", before + " " + copiedRun},
		{"alone", copiedRun},
		{"without its first words", before + " " + strings.Join(words[4:], " ") + ". " + after},
		{"twelve words", before + " " + strings.Join(words[:12], " ") + ". " + after},
		{"in sentences that share more", "Before our bishop came home over those marshes, grandmother had copied one line of an older book. " + copiedRun +
			". Later the wages of her neighbours rose again, and several gates stood open all night."},
	} {
		list := align(t, tt.suspect, theirs)
		if len(list) != 1 || list[0].Grade != Verbatim || list[0].Words != list[0].Run || list[0].SourceWords != list[0].Run {
			t.Errorf("%s: %+v, want one verbatim passage of a run", tt.name, list)
		}
	}
}

// TestOwnSentenceOnTheSubject: a copy of a whole source ends where it does, also if the next sentence of the suspect has words of it.
func TestOwnSentenceOnTheSubject(t *testing.T) {
	theirs := "The experiment measured the temperature of water while it was heated. We placed a thermometer into the beaker and recorded the value every minute. The water boiled after twelve minutes at ninety nine degrees."
	own := "In this experiment we heated water and measured its temperature. A thermometer was put in the beaker, and the value was written down each minute. After eleven minutes the water began to boil at ninety eight degrees."
	for _, suspect := range []string{theirs + " " + own, own + " " + theirs} {
		list := align(t, suspect, theirs)
		if len(list) != 1 || list[0].Grade != Verbatim || list[0].Words != len(strings.Fields(theirs)) {
			t.Errorf("%+v, want one verbatim passage of the whole source", list)
		}
	}
}

// TestOwnWordsBetweenCopies: two runs with own words between them are two passages, whichever text has these.
func TestOwnWordsBetweenCopies(t *testing.T) {
	words := strings.Fields(copiedRun)
	one, other := strings.Join(words, " "), strings.TrimSuffix(theirRest, ".")
	apart := before + " " + one + ". " + after + " " + other + ". " + before
	together := theirFore + " " + one + " " + other + "."
	for _, pair := range [][2]string{{apart, together}, {together, apart}} {
		list := align(t, pair[0], pair[1])
		if len(list) != 2 || list[0].Grade != Verbatim || list[1].Grade != Verbatim || list[0].Words != len(words) || list[1].Words != len(strings.Fields(other)) {
			t.Errorf("%+v, want two verbatim passages of the copied words", list)
		}
	}
}

// TestEditsBesideARun: a copy that is edited beside a run of it is one passage.
func TestEditsBesideARun(t *testing.T) {
	edited := `In a ledger bound with sailcloth he noted their names, their flags and every dim colour of their lanterns when the winter fog`
	list := align(t, before+" "+edited+". "+after, theirFore+" "+copiedRun+" "+theirRest)
	if len(list) != 1 || list[0].Grade != Edited || list[0].Words != len(strings.Fields(edited)) || list[0].SourceWords != len(strings.Fields(copiedRun)) {
		t.Errorf("%+v, want one lightly edited passage of the whole copy", list)
	}
}
