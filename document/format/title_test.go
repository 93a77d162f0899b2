package format

import "testing"

func TestTitleOf(t *testing.T) {
	for _, title := range []string{
		"title", "Title", "Untitled", "untitled-1", "Untitled Document", "Presentation1", "Document1", "Document (2)", "PowerPoint Presentation", "[Title]",
		"<Thesis title>", "[Type the document title]", "Prezentace aplikace PowerPoint", "Bez názvu 3", "Ohne Titel", "Документ 1", "thesis_03", "Book1",
		"Microsoft Word - final3", "Microsoft PowerPoint - lecture.ppt", "Microsoft Word - Kapitola 1 (oprava).doc", "thesis.dvi", "main.tex", "BP_Novak_final.docx",
		"Name of Department (Times New Roman 12pt/Bold)", "TITLE OF THE THESIS (Bold, 14 pt)", "Thesis title, Arial 16 pt",
	} {
		if got := TitleOf(title); got != "" {
			t.Errorf("TitleOf(%q) = %q, want none", title, got)
		}
	}
	for _, title := range []string{
		"", "Titles of Nobility", "The Untitled Works of Klee", "Presentation of Self in Everyday Life", "Document Clustering", "1984", "Book of Hours 2",
		"History of Times New Roman", "Microsoft Word 2010 for Students", "ASP.NET", "Introduction to Node.js", "Legibility of 12 pt type",
		"[A study of words]", "Šablony v jazyce C++", "Sešit první", "Thesis Writing 2", "(Un)titled",
	} {
		if got := TitleOf(title); got != title {
			t.Errorf("TitleOf(%q) = %q, want it unchanged", title, got)
		}
	}
}
