package dedup

import (
	"strings"
)

// naive is the rule of onion as its description says it, for small collections: the
// marks of all lines. Tokens are compared as they are, not by hashes.
func naive(text string, o Options) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	kept := map[string]bool{}
	var out []string
	for _, d := range naiveDocs(lines) {
		bad := naiveBad(d, kept, o)
		if o.Smooth {
			naiveSmooth(d, bad, o.Stub)
		}
		grams, any := naiveGrams(d, o.N), false
		for i, p := range d {
			for _, g := range grams[i] {
				if !bad[i] && g != "" {
					kept[g] = true
				}
			}
			any = any || !bad[i] && tokens(p) > 0
		}
		out = append(out, naiveMarks(d, bad, !any)...)
	}
	return out
}

// naiveDocs cuts lines into documents of paragraphs.
func naiveDocs(lines []string) (docs [][][]string) {
	startDoc, startPar := true, false
	for _, l := range lines {
		switch {
		case startDoc || strings.HasPrefix(l, "<doc>") || strings.HasPrefix(l, "<doc "):
			docs = append(docs, [][]string{nil})
			startDoc = false
		case strings.HasPrefix(l, "</doc>"):
			startDoc = true
		case startPar || strings.HasPrefix(l, "<p>") || strings.HasPrefix(l, "<p "):
			docs[len(docs)-1] = append(docs[len(docs)-1], nil)
			startPar = false
		case strings.HasPrefix(l, "</p>"):
			startPar = true
		}
		d := docs[len(docs)-1]
		d[len(d)-1] = append(d[len(d)-1], l)
	}
	return docs
}

func isToken(line string) bool { return !strings.HasPrefix(line, "<") }

func tokens(paragraph []string) (count int) {
	for _, l := range paragraph {
		if isToken(l) {
			count++
		}
	}
	return count
}

// naiveGrams returns for each token of each paragraph the n-gram that it ends, ""
// for none.
func naiveGrams(doc [][]string, n int) [][]string {
	var last []string
	grams := make([][]string, len(doc))
	for i, p := range doc {
		for _, l := range p {
			if !isToken(l) {
				continue
			}
			last = append(last, l)
			gram := ""
			if len(last) >= n {
				gram = strings.Join(last[len(last)-n:], "\n") + "\n"
			}
			grams[i] = append(grams[i], gram)
		}
	}
	return grams
}

func naiveBad(doc [][]string, kept map[string]bool, o Options) []bool {
	here := map[string]bool{}
	bad := make([]bool, len(doc))
	for i, grams := range naiveGrams(doc, o.N) {
		in := make([]bool, len(grams))
		for j, g := range grams {
			for k := max(0, j-o.N+1); g != "" && (kept[g] || here[g]) && k <= j; k++ {
				in[k] = true
			}
			here[g] = true
		}
		count := 0
		for _, b := range in {
			if b {
				count++
			}
		}
		bad[i] = len(in) > 0 && float64(count)/float64(len(in)) > float64(float32(o.Threshold))
	}
	return bad
}

func naiveSmooth(doc [][]string, bad []bool, stub int) {
	was := append([]bool{true}, append(append([]bool{}, bad...), true)...)
	for i := range bad {
		length, from, to := 0, i, i
		for ; !was[from+1]; from-- {
			length += tokens(doc[from])
		}
		for to = i + 1; to < len(bad) && !was[to+1]; to++ {
			length += tokens(doc[to])
		}
		bad[i] = bad[i] || length <= stub
	}
}

func naiveMarks(doc [][]string, bad []bool, empty bool) (out []string) {
	for i, p := range doc {
		for j, l := range p {
			b := bad[i]
			if i == 0 && j == 0 && strings.HasPrefix(l, "<doc") || i == len(doc)-1 && j == len(p)-1 && l == "</doc>" {
				b = empty
			}
			if b {
				out = append(out, "1\t"+l)
			} else {
				out = append(out, "0\t"+l)
			}
		}
	}
	return out
}
