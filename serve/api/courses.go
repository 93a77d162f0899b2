package api

import (
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/serve/desk"
)

type (
	// CourseTexts is a course with its texts.
	CourseTexts struct {
		desk.Course
		Checks []desk.Check `json:"checks"`
	}
	// Choice is which texts of a course count.
	Choice struct {
		Count    []string `json:"count" doc:"ids of checks"`
		LeaveOut []string `json:"leave_out" doc:"ids of checks that do not count; others stay as they are"`
	}
)

func newCourse(c *call, in desk.NewCourse) (any, error) {
	id, err := c.s.Desk.NewCourse(c.Context(), c.actor, in)
	return ID{id}, err
}

func course(c *call) (any, error) {
	found, checks, err := c.s.Desk.Course(c.Context(), c.actor, c.id())
	if err != nil {
		return nil, err
	}
	return CourseTexts{*found, checks}, nil
}

func handIn(c *call, f *Form) (any, error) {
	ids, err := c.s.Desk.HandIn(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return IDs{ids}, err
}

func choose(c *call, in Choice) (any, error) {
	counts := lists.Set(in.Count)
	for _, id := range in.LeaveOut {
		counts[id] = false
	}
	return nil, c.s.Desk.Choose(c.Context(), c.actor, c.id(), counts)
}
