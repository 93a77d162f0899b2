package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// runMake writes the sets below a folder: answers/N, short/sources, short/rewritten and short/human.
func runMake(_ context.Context, args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("innocent make", flag.ContinueOnError)
	answers := f.String("answers", "", "`folder` of a clone of Rokeer/aes")
	short := f.String("short", "", "`folder` of a clone of Weixin-Liang/ChatGPT-Detector-Bias")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 || *answers == "" || *short == "" {
		return errors.New("want -answers, -short and the folder of the sets")
	}
	counts, err := makeAnswers(*answers, f.Arg(0))
	if err != nil {
		return err
	}
	for question := range 8 {
		fmt.Fprintf(stdout, "question %d  %5d answers\n", question+1, counts[fmt.Sprint(question+1)])
	}
	return makeShort(*short, f.Arg(0))
}

// placeholder matches what stands for a name in an answer, such as @CAPS1.
var placeholder = regexp.MustCompile(`@([A-Z]+)[0-9]*`)

// makeAnswers writes the answers to each question, and returns their number by question. The test sets of all folds are all answers.
func makeAnswers(dir, out string) (map[string]int, error) {
	counts := map[string]int{}
	folds, err := filepath.Glob(filepath.Join(dir, "data", "fold_*", "test.tsv"))
	if err != nil {
		return nil, err
	}
	if len(folds) == 0 {
		return nil, fmt.Errorf("%s: no data/fold_*/test.tsv", dir)
	}
	for _, path := range folds {
		rows, err := readTable(path, "essay_set", "essay_id", "essay")
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			counts[row[0]]++
			text := placeholder.ReplaceAllString(row[2], "$1")
			if err := write(text, out, "answers", row[0], row[0]+"-"+row[1]+".txt"); err != nil {
				return nil, err
			}
		}
	}
	return counts, nil
}

// readTable returns the cells of these columns of a table with tabs.
func readTable(path string, columns ...string) (rows [][]string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes = '\t', true
	all, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no header", path)
	}
	for i, line := range all {
		var row []string
		for _, c := range columns {
			k := slices.Index(all[0], c)
			if k < 0 {
				return nil, fmt.Errorf("%s: no column %s", path, c)
			}
			row = append(row, line[k])
		}
		if i > 0 {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// makeShort writes short texts, what models made of them, and abstracts that people wrote under the titles for which a model wrote some of
// the sources.
func makeShort(dir, out string) error {
	for _, x := range []struct{ kind, part, folder string }{
		{"papers", "sources", "GPT_Data/CS224N_gpt3_145"},
		{"papers", "rewritten", "GPT_Data/CS224N_gpt3PromptEng_145"},
		{"papers", "human", "Human_Data/CS224N_real_145"},
		{"college", "sources", "GPT_Data/CollegeEssay_gpt3_31"},
		{"college", "rewritten", "GPT_Data/CollegeEssay_gpt3PromptEng_31"},
		{"toefl", "sources", "Human_Data/TOEFL_real_91"},
		{"toefl", "rewritten", "Human_Data/TOEFL_gpt4polished_91"},
		{"school", "sources", "Human_Data/HewlettStudentEssay_real_88"},
		{"school", "rewritten", "Human_Data/HewlettStudentEssay_GPTsimplify_88"},
	} {
		path := filepath.Join(dir, "Data_and_Results", x.folder, "data.json")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var list []struct{ Document string }
		if err := json.Unmarshal(data, &list); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for i, text := range list {
			if err := write(text.Document, out, "short", x.part, fmt.Sprintf("%s-%03d.txt", x.kind, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes a text to the file that the elements of its path name.
func write(text string, elements ...string) error {
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.TrimSpace(text)+"\n"), 0o666)
}
