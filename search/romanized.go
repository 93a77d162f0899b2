package search

import (
	"unicode/utf8"
)

// Limits for text whose language is detected by frequent words.
const (
	romanizedGap  = 40 // words between two frequent words of one stretch
	leastFrequent = 3  // frequent words of a stretch, of which two differ
)

// romanizedWords are frequent words of Russian, Ukrainian, Bulgarian, Greek and Mongolian in the usual
// transliterations (ISO 9, scientific, and those of English), which no language with a Latin
// alphabet has. Serbian is not among them: Latin letters are one of its alphabets (see alphabet.go).
var romanizedWords = setOf(`
		čto chto čtoby chtoby kotoryj kotoryy kotoryi kotorye kotoroe kotoroye kotoroj kotoroy kotoraja kotoraya kotoraâ kotoryh kotorykh kotorym
		èto ètot etot ètogo etogo ètom etom dlâ dlya dlja dlia každyj kazhdyj kazhdyy kazhdyi kazhdogo každogo
		čelovek chelovek čeloveka cheloveka čelovečeskoj čelovečestva imeet imeyet imejet dolžen dolzhen dolžna dolzhna dolžno dolzhno dolžny dolzhny
		možet mozhet mogut takže takzhe meždu mezhdu svoih svoikh svoej svoyey svoego svoyego èti obŝestva obshchestva gosudarstva gosudarstvo
		ŝo shcho ščo kožna kozhna kožnij kozhnyi kožen kozhen lûdina liudyna ljudyna lyudyna lûdini liudyny ljudyny lyudyny
		âkij yakyi yakyy jakyj âka âkoï yakoyi maê povinna povynna povinnì povynni povinni svoêï svoieï svoyeyi yoho ïï vìd dlia ìnših inshykh
		vseki koeto koito kojto koyto koâto kojato koyato trâbva tryabva trjabva obŝestvoto obshtestvoto pravoto svobodata negovata negovoto tehnite
		einai eínai stin sthn twn thn ths opoia opoío opoio kathws kathos epishs epísis omws omos ómos prepei prépei mporei mporeí ehei échei exei afto autes aftes anthropos anthrwpos
		bolon bolohgui khün hüniy khunii erkh erhtei erkhtei ulsiin ulsyn baidag baigaa tüünii tuunii bükh buhii gesen esvel ödör`)

// stretchesOf returns the stretches of the suspect that are in a language, given frequent words of it that
// other languages lack, as ranges of words. gap is the largest number of words between two frequent words.
func (s *suspect) stretchesOf(frequent map[string]bool, gap int) (list []stretch) {
	var at []int // frequent words of the current stretch
	end := func() {
		different := map[string]bool{}
		for _, i := range at {
			different[s.words[i].Text] = true
		}
		if len(at) >= leastFrequent && len(different) > 1 {
			list = append(list, stretch{max(at[0]-gap/2, 0), min(at[len(at)-1]+gap/2, len(s.words))})
		}
		at = nil
	}
	for i, w := range s.words {
		if !frequent[w.Text] {
			continue
		}
		if len(at) > 0 && i-at[len(at)-1] > gap {
			end()
		}
		at = append(at, i)
	}
	end()
	return list
}

// lettersOf returns the number of letters of some words.
func (s *suspect) lettersOf(x stretch) (n int) {
	for _, w := range s.words[x.from:x.to] {
		n += utf8.RuneCountInString(w.Text)
	}
	return n
}
