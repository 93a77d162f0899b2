package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// course waits until a course is idle and has the given number of finished texts, and returns it with
// its texts by path.
func (s *testServer) course(id string, done int) (c api.CourseTexts, texts map[string]desk.Check) {
	s.t.Helper()
	s.until(func() bool {
		found := 0
		c, texts = api.CourseTexts{}, map[string]desk.Check{}
		s.call("GET", "/courses/"+id, nil, http.StatusOK, &c)
		for _, x := range c.Checks {
			texts[x.Path] = x
			if x.State == work.Done {
				found++
			}
		}
		return c.State != desk.CheckingCourse && found == done
	})
	return c, texts
}

// TestServeCourse collects texts of a class, which are checked at the date of the course. A late copy
// of one of them raises its score. Without a text that is left out, the report is the one of otisk
// search again. A kill changes nothing.
func TestServeCourse(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	rng := rand.New(rand.NewPCG(7, 7))
	old, own, other := manyWords(rng), manyWords(rng), manyWords(rng)
	essay := old[:len(old)/8] + own
	collection := s.collection("Theses", map[string]string{"old.txt": old})
	var made api.ID
	n := desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now().Add(time.Hour)}, Collections: []string{collection}, Among: true}
	s.call("POST", "/courses", n, http.StatusCreated, &made)
	path := "/courses/" + made.ID
	zipped, err := os.ReadFile(archive(t, "class.zip", map[string]string{"other.txt": other, "notes.txt": manyWords(rng)}))
	if err != nil {
		t.Fatal(err)
	}
	s.upload(path+"/texts", map[string]string{"essay.txt": essay, "class.zip": string(zipped)}, nil, nil)
	if c, texts := s.course(made.ID, 0); c.State != desk.OpenCourse || texts["essay.txt"].State != work.Waiting {
		t.Fatalf("before the date the course is %+v", c)
	}
	s.call("PUT", path, desk.CourseChange{Name: "Essays", Ends: time.Now()}, http.StatusNoContent, nil)
	c, texts := s.course(made.ID, 3)
	first := texts["essay.txt"]
	if c.State != work.Done || first.Score == 0 || first.Score > 40 || texts["class.zip!/other.txt"].Score > 5 {
		t.Fatalf("after the date the course is %+v with %+v", c, texts)
	}
	alone := reportBytes(s, first.ID)
	s.upload(path+"/texts", map[string]string{"copy.txt": own}, nil, nil)
	s.kill() // before or while the scheduler works
	s.start()
	c, texts = s.course(made.ID, 4)
	essayNow := texts["essay.txt"]
	if essayNow.ID != first.ID || essayNow.Score < 90 || essayNow.Rose == nil || *essayNow.Rose != first.Score || c.Risen != 1 || texts["copy.txt"].Score < 90 || texts["copy.txt"].Rose != nil {
		t.Errorf("after a late copy: %+v with %+v, want the score to rise from %v", c, texts, first.Score)
	}
	s.call("POST", path+"/seen", nil, http.StatusNoContent, nil)
	s.call("PUT", path+"/texts", api.Choice{LeaveOut: []string{texts["copy.txt"].ID}, Count: []string{}}, http.StatusNoContent, nil)
	c, texts = s.course(made.ID, 4)
	if c.Risen != 0 || c.Counting != 3 || texts["essay.txt"].Score != first.Score || !bytes.Equal(reportBytes(s, first.ID), alone) {
		t.Errorf("without the copy: %+v with %+v, want the first score and report", c, texts)
	}
	s.upload("/collections/"+collection+"/documents", map[string]string{"new.txt": own}, nil, nil)
	s.added(collection)
	s.call("PUT", path+"/texts", api.Choice{LeaveOut: []string{texts["class.zip!/notes.txt"].ID}, Count: []string{}}, http.StatusNoContent, nil)
	s.call("POST", path+"/check", nil, http.StatusNoContent, nil)
	before := texts
	_, texts = s.course(made.ID, 4)
	for name, again := range map[string]bool{"essay.txt": true, "class.zip!/other.txt": true, "class.zip!/notes.txt": false, "copy.txt": false} {
		if texts[name].Finished.After(before[name].Finished) != again {
			t.Errorf("%s was checked again: %v, want %v", name, !again, again)
		}
	}
	if texts["essay.txt"].Score < 90 || texts["essay.txt"].Rose == nil {
		t.Errorf("after a document was added: %+v", texts["essay.txt"])
	}
	s.call("DELETE", path, nil, http.StatusOK, nil)
	for _, folder := range []string{storage.Files, storage.Reports} {
		if files, err := os.ReadDir(filepath.Join(s.data, folder)); err != nil || len(files) != 0 {
			t.Errorf("after the course was deleted, %d files are in %s, %v", len(files), folder, err)
		}
	}
	if held := s.holding(strings.ToLower(other[:200])); len(held) > 0 {
		t.Errorf("after the course was deleted, its text is in %v", held)
	}
}

// reportBytes returns the report on a text, as the check wrote it.
func reportBytes(s *testServer, check string) (data []byte) {
	s.t.Helper()
	s.call("GET", "/checks/"+check+"/report", nil, http.StatusOK, &data)
	return data
}

// TestServeCourseKill kills a server at random moments while texts are added to a course and checked
// together. Each acknowledged text exists exactly once, with a report on a check with all others.
func TestServeCourseKill(t *testing.T) {
	kills := killsOf(t, 4, 60)
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, uint64(kills)))
	s := startServe(t, t.TempDir())
	s.first()
	text := manyWords(rng)
	collection := s.collection("Theses", map[string]string{"zero.txt": manyWords(rng)})
	var made api.ID
	s.call("POST", "/courses", desk.NewCourse{CourseChange: desk.CourseChange{Name: "Essays", Ends: time.Now()}, Collections: []string{collection}, Among: true}, http.StatusCreated, &made)
	ids := map[string]bool{}
	for i := range kills {
		key, name := fmt.Sprint("key", i), fmt.Sprintf("essay%d.txt", i)
		for acknowledged := false; !acknowledged; {
			process := s.cmd.Process
			time.AfterFunc(time.Duration(rng.IntN(1500))*time.Millisecond, func() { _ = process.Kill() })
			for range 2 { // a repeated request adds nothing
				var answer api.IDs
				if s.try(s.keyed("/courses/"+made.ID+"/texts", key, name, fmt.Sprint(i, " ", text)), &answer) {
					acknowledged = true
					ids[answer.IDs[0]] = true
				}
			}
			s.restart()
		}
	}
	c, texts := s.course(made.ID, kills)
	if len(ids) != kills || len(texts) != kills || c.State != work.Done || c.Texts != kills {
		t.Fatalf("%d texts were acknowledged, want %d; the course is %+v", len(ids), kills, c)
	}
	for path, x := range texts {
		if !ids[x.ID] || x.Score < 90 || path != x.Name {
			t.Errorf("%s: %+v, want an acknowledged text with a high score", path, x)
		}
	}
	s.noLeftovers()
}
