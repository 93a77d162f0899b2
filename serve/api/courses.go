package api

import (
	"github.com/otisk/otisk/serve/accounts"
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

func courses(c *call) (any, error) { return c.s.Desk.Courses(c.Context(), c.actor) }

func newCourse(c *call) (any, error) {
	var in desk.NewCourse
	if err := c.decode(&in); err != nil {
		return nil, err
	}
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

func changeCourse(c *call) (any, error) {
	var in desk.CourseChange
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.s.Desk.ChangeCourse(c.Context(), c.actor, c.id(), in)
}

func deleteCourse(c *call) (any, error) {
	return c.s.Desk.DeleteCourse(c.Context(), c.actor, c.id())
}

func handIn(c *call) (any, error) {
	f, err := c.form(accounts.CheckTexts)
	if err != nil {
		return nil, err
	}
	ids, err := c.s.Desk.HandIn(c.Context(), c.actor, c.id(), c.Header.Get("Idempotency-Key"), f.Files)
	return IDs{ids}, err
}

func choose(c *call) (any, error) {
	var in Choice
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	counts := map[string]bool{}
	for _, id := range in.Count {
		counts[id] = true
	}
	for _, id := range in.LeaveOut {
		counts[id] = false
	}
	return nil, c.s.Desk.Choose(c.Context(), c.actor, c.id(), counts)
}

func checkAgain(c *call) (any, error) {
	return nil, c.s.Desk.CheckAgain(c.Context(), c.actor, c.id())
}

func seen(c *call) (any, error) { return nil, c.s.Desk.Seen(c.Context(), c.actor, c.id()) }
