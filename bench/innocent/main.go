// Innocent measures how many texts that copied nothing get a passage: answers to one question, and abstracts on one title.
//
//	innocent make -answers DIR -short DIR OUT           writes the sets
//	innocent measure [flags] COLLECTION SUSPECTS...     checks texts against a folder of others, and prints one row
//
// The texts are those of public repositories, which are no part of this one: Rokeer/aes (its folder data: answers of
// pupils to eight questions, without names) and Weixin-Liang/ChatGPT-Detector-Bias (its folder Data_and_Results).
package main

import "github.com/otisk/otisk/bench/command"

func main() { program.Main() }

var program = command.Program{Name: "innocent", Commands: []command.Command{
	{Name: "make", Purpose: "write texts that copied nothing, and rewritten ones", Run: runMake},
	{Name: "measure", Purpose: "check texts against a folder, and count those with passages and hints", Run: runMeasure},
}}
