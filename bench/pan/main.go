// Pan measures how well copied passages are found, on a corpus laid out like
// the training corpus for text alignment of PAN 2013:
//
//	src/NAME.txt         sources
//	susp/NAME.txt        suspects
//	PART/pairs           a suspect and a source on each line, for each part
//	PART/SUSPECT-SOURCE.xml  the true passages of the pair, offsets in code points
//
// "pan compare" aligns the listed pairs, "pan search" finds the sources by an index,
// "pan changed" checks changed texts, "pan keys" compares kinds of index keys, and
// "pan score" scores detections of any program.
package main

import "github.com/otisk/otisk/bench/command"

func main() { program.Main() }

var program = command.Program{Name: "pan", Commands: []command.Command{
	{Name: "changed", Purpose: "check suspects again after repeating, cutting or extending their texts", Run: runChanged},
	{Name: "compare", Purpose: "align the listed pairs of each part", Run: runCompare},
	{Name: "keys", Purpose: "compare kinds of index keys by the sources that they find", Run: runKeys},
	{Name: "score", Purpose: "score detections in PAN files", Run: runScore},
	{Name: "search", Purpose: "check suspects against an index of all sources", Run: runSearch},
}}
