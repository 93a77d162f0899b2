package align

import "testing"

// TestSettingsThatNoStepCanWorkWith are moved to the nearest that it can.
func TestSettingsThatNoStepCanWorkWith(t *testing.T) {
	below := Params{Radius: -1, Gap: -1, SourceGap: -1, Reach: -1, Rounds: -1, Snap: -1, MaxPoints: -1, Verbatim: 5}
	below.Summaries.Most = -1
	if got, want := below.bounded(), (Params{Verbatim: 6}); got != want {
		t.Errorf("settings below the least become %+v, want %+v", got, want)
	}
	least := Params{Radius: 1, Gap: 1, SourceGap: 1, Reach: 1, Rounds: 1, Snap: 1, MaxPoints: 1000, Verbatim: 7}
	least.Summaries.Most = 1
	if got := least.bounded(); got != least {
		t.Errorf("settings %+v become %+v, want them to stay", least, got)
	}
	if got := (Params{MaxPoints: 1001}).bounded().MaxPoints; got != 1000 {
		t.Errorf("MaxPoints is %d at most, want 1000", got)
	}
	// Nothing may be near anything then, and a copy is found all the same.
	text := prepare(t, say(newSpeaker(1).words(80)))
	if got := aligned(New(below), text, text); len(got) != 1 {
		t.Errorf("%d passages, want one", len(got))
	}
}
