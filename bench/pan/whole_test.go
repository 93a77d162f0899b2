package main

import (
	"testing"

	"github.com/otisk/otisk/bench/plagdet"
)

// Outcomes are judged by the truth: other bounds are worse only if they agree with
// it less.
func TestJudge(t *testing.T) {
	at := func(from, to int) plagdet.Case {
		s := plagdet.Span{Start: from, End: to}
		return plagdet.Case{Suspect: s, Source: s}
	}
	truth := []plagdet.Case{at(100, 200)}
	tests := []struct {
		name     string
		passage  plagdet.Case
		searched []plagdet.Case
		want     string
	}{
		{"equal", at(90, 200), []plagdet.Case{at(90, 200)}, sameBounds},
		{"nearer to the truth", at(90, 200), []plagdet.Case{at(100, 200)}, asGood},
		{"hardly farther from it", at(90, 200), []plagdet.Case{at(89, 200)}, nearlyAsGood},
		{"farther from it", at(90, 200), []plagdet.Case{at(80, 200)}, worseBounds},
		{"two halves, each worse", at(100, 200), []plagdet.Case{at(100, 150), at(150, 200)}, worseBounds},
		{"not found", at(90, 200), []plagdet.Case{at(300, 400)}, lostRight},
		{"nothing true, not found", at(300, 400), nil, lostWrong},
		{"nothing true, found otherwise", at(300, 400), []plagdet.Case{at(300, 390)}, asGood},
	}
	for _, tt := range tests {
		f := fate{passage: tt.passage}
		if f.judge(tt.searched, truth); f.what != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, f.what, tt.want)
		}
	}
}
