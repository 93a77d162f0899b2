//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A unit is a test that runs by itself: a test of the package, or a subtest of a slow one.
type unit struct {
	pattern string
	time    time.Duration
	reaches map[int]bool // the faults whose code it executes
}

// slow is the time of a test whose subtests become units.
const slow = 2 * time.Second

// result matches the line of a test or of its subtest in the output of the tests.
var result = regexp.MustCompile(`(?m)^( {4})?--- (?:PASS|FAIL): (\S+) \(([0-9.]+)s\)`)

// findUnits runs all tests, and then each unit by itself, without a fault.
func (t *trial) findUnits() error {
	out, err := t.tests(context.Background(), "otisk-mutant-0", t.run, "-test.v")
	if err != nil {
		return fmt.Errorf("tests fail without a fault: %w\n%s", err, out)
	}
	for _, pattern := range patterns(string(out)) {
		u := &unit{pattern: pattern}
		folder := fmt.Sprint("otisk-mutant-reach-", len(t.units))
		list := filepath.Join(t.work, folder+".list")
		if err := errors.Join(os.WriteFile(list, nil, 0o666), os.Chmod(list, 0o666)); err != nil { // other users append to it, too
			return err
		}
		begin := time.Now()
		if out, err := t.tests(context.Background(), folder, pattern); err != nil {
			return fmt.Errorf("%s fails without a fault: %w\n%s", pattern, err, out)
		}
		u.time = time.Since(begin)
		if u.reaches, err = numbers(list); err != nil {
			return err
		}
		t.units = append(t.units, u)
	}
	slices.SortFunc(t.units, func(a, b *unit) int { return cmp.Compare(a.time, b.time) })
	return nil
}

// patterns returns patterns of the units in the output of all tests.
func patterns(out string) (list []string) {
	top, split := "", false // the present test, and whether its subtests are units
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		seconds, _ := strconv.ParseFloat(m[3], 64) // matched
		name, sub, _ := strings.Cut(m[2], "/")
		switch {
		case m[1] == "":
			top, split = name, seconds > slow.Seconds()
			list = append(list, "^"+name+"$")
		case name == top && split:
			if last := len(list) - 1; list[last] == "^"+name+"$" {
				list = list[:last]
			}
			list = append(list, "^"+name+"$/^"+regexp.QuoteMeta(sub)+"$")
		}
	}
	return list
}

// numbers reads a list of numbers, one on a line.
func numbers(path string) (map[int]bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := map[int]bool{}
	for _, line := range strings.Fields(string(content)) {
		k, err := strconv.Atoi(line)
		if err != nil {
			return nil, err
		}
		set[k] = true
	}
	return set, nil
}
