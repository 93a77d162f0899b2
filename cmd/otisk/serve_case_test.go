package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// TestServeCase: the case of a check survives the end of the server at each step. A link for the
// student opens nothing else, and the link of a committee shows the case.
func TestServeCase(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	text := sample(t, "suspects/czech-essay.txt")
	check := s.check(map[string]string{"essay.txt": text}, "collection", s.collection("Theses", map[string]string{"source.txt": text}))[0].ID
	s.call("PUT", "/checks/"+check+"/verdict", api.Verdict{Verdict: "serious", Comment: "internal"}, http.StatusNoContent, nil)
	var notice, committee api.CreatedLink
	s.call("POST", "/checks/"+check+"/notices", desk.Notice{For: "Jan", Days: 7, Text: "Please explain.", Score: true}, http.StatusCreated, &notice)
	s.call("POST", "/checks/"+check+"/links", desk.NewShare{For: "Committee", Days: 7}, http.StatusCreated, &committee)
	again := func() {
		s.kill()
		s.start()
	}
	again()
	var shared desk.Shared
	s.call("GET", "/shared/"+notice.Secret, nil, http.StatusOK, &shared)
	if shared.Student == nil || shared.Check != nil || shared.Student.Score == nil || *shared.Student.Score < 90 || shared.Student.Report {
		t.Errorf("the student sees %+v, want the score only", shared)
	}
	s.call("GET", "/shared/"+notice.Secret+"/report", nil, http.StatusNotFound, nil)
	for range 2 { // the answer was lost
		s.call("POST", "/shared/"+notice.Secret+"/statement", api.Statement{Text: "It is quoted."}, http.StatusNoContent, nil)
		again()
	}
	s.call("POST", "/shared/"+committee.Secret+"/statement", api.Statement{Text: "x"}, http.StatusNotFound, nil)
	s.call("POST", "/checks/"+check+"/case", desk.NewStep{Kind: desk.ReplyStep, Text: "Thank you."}, http.StatusCreated, nil)
	s.call("POST", "/checks/"+check+"/case", desk.NewStep{Kind: desk.ClosedStep, Text: "No further action."}, http.StatusCreated, nil)
	again()
	s.call("POST", "/checks/"+check+"/case", desk.NewStep{Kind: desk.CommentStep, Text: "late"}, http.StatusConflict, nil)
	s.call("GET", "/shared/"+committee.Secret, nil, http.StatusOK, &shared)
	var all []desk.Step
	s.call("GET", "/checks/"+check+"/case", nil, http.StatusOK, &all)
	for what, steps := range map[string][]desk.Step{"the case": all, "the committee": shared.Steps} {
		var kinds []string
		for _, step := range steps {
			kinds = append(kinds, step.Kind)
			if step.At.IsZero() {
				t.Errorf("%s: step %+v has no date", what, step)
			}
		}
		if got, want := strings.Join(kinds, " "), "verdict notice access statement reply closed"; got != want {
			t.Errorf("%s has the steps %s, want %s", what, got, want)
		}
	}
	var gone desk.Deleted
	s.call("DELETE", "/checks/"+check, nil, http.StatusOK, &gone)
	if gone.Steps != 6 || gone.Links != 2 {
		t.Errorf("deleted %+v, want 6 steps and 2 links", gone)
	}
	if files := s.holding("it is quoted."); len(files) > 0 {
		t.Errorf("the statement is still in %v", files)
	}
}
