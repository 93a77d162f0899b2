package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// clones writes folders like those of the repositories, with one text each, and returns the arguments for them.
func clones(t *testing.T) []string {
	table := func(rows string) string { return "essay_id\tessay_set\tessay\tscore\n" + rows }
	answers := files.Folder(t, map[string]string{
		"data/fold_0/test.tsv":  table("7\t2\t\"@PERSON1 said \"\"no\"\" to @CAPS12.\"\t3\n"),
		"data/fold_1/test.tsv":  table("8\t3\tA \"word\" alone.\t1\n"),
		"data/fold_1/train.tsv": table("9\t3\tNot read.\t1\n"),
	})
	texts := map[string]string{}
	for _, folder := range []string{
		"GPT_Data/CS224N_gpt3_145", "GPT_Data/CS224N_gpt3PromptEng_145", "Human_Data/CS224N_real_145", "GPT_Data/CollegeEssay_gpt3_31",
		"GPT_Data/CollegeEssay_gpt3PromptEng_31", "Human_Data/TOEFL_real_91", "Human_Data/TOEFL_gpt4polished_91",
		"Human_Data/HewlettStudentEssay_real_88", "Human_Data/HewlettStudentEssay_GPTsimplify_88",
	} {
		texts["Data_and_Results/"+folder+"/data.json"] = `[{"document": "\nFirst of ` + folder + `."}, {"document": "Second."}]`
	}
	return []string{"make", "-answers", answers, "-short", files.Folder(t, texts)}
}

func TestMake(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	var stdout, stderr bytes.Buffer
	if status := program.Run(context.Background(), append(clones(t), out), &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	for path, want := range map[string]string{
		"answers/2/2-7.txt":              "PERSON said \"no\" to CAPS.\n",
		"answers/3/3-8.txt":              "A \"word\" alone.\n",
		"short/sources/toefl-000.txt":    "First of Human_Data/TOEFL_real_91.\n",
		"short/rewritten/school-001.txt": "Second.\n",
		"short/human/papers-000.txt":     "First of Human_Data/CS224N_real_145.\n",
	} {
		if got, err := os.ReadFile(filepath.Join(out, path)); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "answers", "3", "3-9.txt")); err == nil {
		t.Error("an answer of a training set was written")
	}
	if !strings.Contains(stdout.String(), "question 2      1 answers\n") {
		t.Errorf("printed %q, want one answer to question 2", stdout.String())
	}
}

// TestMeasure: a copy under the name of its source counts as found, and the document of the text itself as nothing.
func TestMeasure(t *testing.T) {
	t.Parallel()
	const text = "The stork that stands on the roof of the old mill flies to the south at the end of the summer, as its parents did every year."
	sources, copies := files.Folder(t, map[string]string{"a.txt": text, "b.txt": "Nothing of this is in any other of the texts here."}), files.Folder(t, map[string]string{"a.txt": "Once more. " + text})
	for suspects, want := range map[string]string{
		sources: "2 texts, 2 documents: 0 with passages of reworded words only, 0 of them with a score of 30 % or more; 0 with any passage without a run of 12 equal words; 0 with hints\n",
		copies: "1 texts, 2 documents: 0 with passages of reworded words only, 0 of them with a score of 30 % or more; 0 with any passage without a run of 12 equal words; 0 with hints; " +
			"1 have a source of their file name: 1 as a passage, 1 as a passage or hint, 1 as the most similar document\n",
	} {
		var stdout, stderr bytes.Buffer
		if status := program.Run(context.Background(), []string{"measure", sources, suspects}, &stdout, &stderr); status != 0 || stdout.String() != want {
			t.Errorf("status %d, printed %q, want %q: %s", status, stdout.String(), want, stderr.String())
		}
	}
}
