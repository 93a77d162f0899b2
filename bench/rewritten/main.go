// Rewritten measures how well passages are found that language models have rewritten, and hints to them.
//
//	rewritten make -polished DIR -mixset DIR CORPUS    plants rewritten passages
//	rewritten make -papers DIR CORPUS                  writes papers with paragraphs rewritten from another paper
//	rewritten measure CORPUS                           checks the suspects with the sources given, and from an index
//	rewritten pairs DIR...                             checks the pairs of texts in each folder, on one subject
//
// The texts are those of public repositories, which have no licence file, so they are no part of this
// one: ShoumikSaha/ai-polished-text (its folder data/polished_json), Dongping-Chen/MixSet (data/MixSet/separated_files), and
// pan-webis-de/pan-code (clef25/generated-plagiarism-detection/transform-dataset/sample_raw.zip, unpacked; a sample of PAN 2025).
package main

import "github.com/otisk/otisk/bench/command"

func main() { program.Main() }

var program = command.Program{Name: "rewritten", Commands: []command.Command{
	{Name: "make", Purpose: "plant rewritten passages among human ones", Run: runMake},
	{Name: "measure", Purpose: "print recall, precision and plagdet of each part, of passages alone and with hints", Run: runMeasure},
	{Name: "pairs", Purpose: "print the hints between texts that share nothing", Run: runPairs},
}}
