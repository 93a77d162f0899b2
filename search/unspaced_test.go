package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// TestUnspacedIsTold: where a clause is one word, a copied sentence is too few
// words to be found. The result says so in place of a score that is simply 0.
func TestUnspacedIsTold(t *testing.T) {
	set := normSet(t, normalize.Auto)
	const copied = "我们在阳光明媚的日子里去了河边,看见了三只苍鹭和一只从老柳树上飞下来的翠鸟。"
	source := "第一章的内容与此完全无关。" + copied + "第三章的内容也完全与此无关。"
	latin := strings.Repeat("words of a text that nobody wrote before ", 20)
	for _, tt := range []struct{ name, text, want string }{
		{"Chinese", strings.Repeat("这是我自己写的一个完整句子。", 3) + copied + strings.Repeat("后来的句子也是我自己写的。", 3),
			"[{unspaced script 8 0 8 [] 8 words are clauses in a script without spaces between words, so that short copies are not found; in no passage: 8 words}]"},
		{"Thai", strings.Repeat("เราไปที่แม่น้ำในวันที่แดดจ้า และเห็นนกกระสาสามตัว ", 4),
			"[{unspaced script 8 0 8 [] 8 words are clauses in a script without spaces between words, so that short copies are not found; in no passage: 8 words}]"},
		{"a name in another text", latin + "by 司马迁 " + latin, "[]"},
		{"one clause in a long text", latin + copied[:3*14] + " " + latin, "[]"},
		{"one word in a hundred", numbered("word", 99) + " 我们在阳光明媚",
			"[{unspaced script 1 0 1 [] 1 word is a clause in a script without spaces between words, so that short copies are not found; in no passage: 1 word}]"},
		{"one word in a hundred and one", numbered("word", 100) + " 我们在阳光明媚", "[]"},
		{"Korean", "우리는 화창한 날에 강으로 가서 왜가리 세 마리와 물총새 한 마리를 보았다", "[]"},
	} {
		r := search(t, index(t, set, 7, map[string]string{"/source": source}), set, tt.text, Options{N: 7})
		if got := fmt.Sprint(r.Unsearched); got != tt.want {
			t.Errorf("%s: unsearched %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestUnspacedInPassages: clauses that are in a passage are not counted as left.
func TestUnspacedInPassages(t *testing.T) {
	set := normSet(t, normalize.Auto)
	var clauses []string
	for i := range 30 {
		clauses = append(clauses, strings.Repeat(string(rune('一'+i)), 8))
	}
	text := strings.Join(clauses, ",")
	r := search(t, index(t, set, 7, map[string]string{"/source": text}), set, text, Options{N: 7})
	if r.Score.Covered != 30 || len(r.Unsearched) != 1 || r.Unsearched[0].Words != 0 || r.CouldRise(r.Score.Percent) != 0 {
		t.Errorf("%d words covered, unsearched %v, could rise by %v; want 30, none of them left, and 0", r.Score.Covered, r.Unsearched, r.CouldRise(r.Score.Percent))
	}
}

func TestClausesHaveSixLetters(t *testing.T) {
	for word, want := range map[string]bool{
		"一二三四五六": true, "一二三四五": false, "一二三四五abc": false, "一二三四五六a": true, "abcdefghijklmnopqr": false, "かたかなでか": true, "우리는화창한날": false,
	} {
		if got := isClause(word); got != want {
			t.Errorf("%q is a clause: %v, want %v", word, got, want)
		}
	}
}
