package container

import (
	"slices"
	"strings"
	"testing"
)

func TestHeadings(t *testing.T) {
	for columns, want := range map[string]string{
		"path;Název;Autor;Rok":        "path;title;author;year",
		"Datei;Titel;Verfasser;JAHR":  "Datei;title;author;year",
		"id;názov práce;Autori;odkaz": "id;title;author;address",
		"title;název;autor;author":    "title;název;autor;author",
		"Autor;Autorka;url;odkaz":     "author;Autorka;url;odkaz",
		"stav;Ročník":                 "stav;Ročník",
	} {
		if got := Headings(strings.Split(columns, ";")); !slices.Equal(got, strings.Split(want, ";")) {
			t.Errorf("Headings(%s) = %q, want %s", columns, got, want)
		}
	}
}
