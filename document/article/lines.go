package article

import (
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Between the paragraphs of an article, sites put lines that are not part of it, in elements like
// those of the paragraphs: links to other articles, captions, dates, requests to comment.

// mostLine is the most words of such a line.
const mostLine = 20

// lines matches such lines by how they start. Each part matches a line on at least one of 1,300 saved
// pages, except for those in Czech and Slovak.
var lines = format.Pattern(`^\W*(?i:` + strings.Join([]string{
	// Links to other articles.
	`(?:also )?read (?:also|more|next|on)\b`, `see also\b`, `related(?: (?:articles?|stories|posts|content|topics|links))?\W*$`, `more (?:on|from|stories|news|about)\b`, `you (?:may|might) also (?:like|be interested)`, `(?:don.t|never) miss\b`, `(?:for|get) the latest\b`, `follow .{0,30}\bon (?:twitter|facebook|instagram|x)\b`,
	`lesen sie (?:auch|hier|mehr|dazu|weiter)`, `(?:auch|ebenfalls) interessant\b`, `mehr (?:zum thema|dazu|artikel|infos?\b|informationen\b)`, `(?:weitere|weiterführende[rn]?) (?:informationen|infos|artikel|beiträge|meldungen|links?|nachrichten|themen|news|inhalte)\b`, `das könnte (?:dich|sie|euch|ihnen|dir) (?:auch )?(?:interessieren|gefallen)`, `(?:dieses|das) thema könnte`, `(?:ähnliche|verwandte|passende|neueste|aktuelle|meistgelesene|beliebte) (?:artikel|beiträge|themen|news|meldungen|posts)`, `zum weiterlesen`, `noch mehr\b.{0,25}$`, `mehr themen\W*$`, `empfohlene (?:artikel|beiträge)`, `(?:schon|auch) (?:gelesen|interessant)\W*$`, `kunden kauften auch`, `hier geht es (?:zu|weiter)`, `klicken sie (?:auf|hier)`,
	`lea (?:también|más|además|aquí)`, `lea:`, `lee (?:también|más|además|aquí)`, `(?:le|te) puede interesar`, `(?:puedes|puede) (?:ver|leer)\b`, `mir[ae]:`, `ve[ar] también`, `más información\W*$`,
	`(?:à|a) lire (?:aussi|également|sur)`, `lire (?:aussi|également|la suite|plus)`, `.{0,25} sur le sujet\W*$`, `pour lire la suite`,
	`leggi (?:anche|di più|tutto)`,
	`(?:veja|leia|confira|saiba) (?:também|mais|ainda)`,
	`(?:zobacz|czytaj|przeczytaj|sprawdź) (?:także|również|też|więcej|też:)`, `dowiedz się więcej`,
	`(?:čtěte|přečtěte si|mohlo by vás|nepřehlédněte|související|další články|přečítajte si|čítajte|mohlo by vás|súvisiace|ďalšie články)(?:\s|\W*$)`,
	`(?:>>|→|➡)\s*\S`,
	// Captions and sources.
	`(?:photo|foto|fotos|image|bild|bilder|beitragsbild|abbildung|abb\.|titelbild|grafik|imagen|crédit photo|credit|picture|fot\.|zdjęcie|snímek)(?: (?:by|credit|courtesy|von|de))?\s*[:©|]`,
	`(?:source|quelle|quellen|quellenangaben?|fuente|źródło|fonte|zdroj)\s*:`, `©|\(c\) `, `copyright\s*(?:©|\d|by\b|:)`, `materiał chroniony`,
	// Functions of the page.
	`(?:share|teilen|compartir|partager|condividi|compartilhe|udostępnij|sdílet|zdieľať)(?: (?:this|on|via|article|story|auf|esta|este|en|sur|cet|su|questo|artikel|na|článek|článok))?\W*$`, `(?:beitrag|artikel|seite) (?:teilen|drucken|bewerten|kommentieren)`,
	`(?:kommentare?|comments?|comentarios?|commentaires?|komentarze|komentáře|commenti)(?: (?:hinzufügen|insgesamt|schreiben|verfassen|lesen|anzeigen|are closed|sind geschlossen))?(?:\W*\d*\W*)$`, `(?:leave|post|add) a (?:comment|reply)`, `kommentieren sie`, `schreib(?:en sie)? (?:uns )?einen kommentar`, `(?:keine|no) (?:kommentare|comments)`, `kommentare? (?:einblenden|geschlossen|verfassen)`, `nur angemeldete`, `(?:schon|bereits|kostenlos|jetzt) (?:registrier|anmelden|abonnieren)`, `(?:deine|ihre) e-mail-adresse wird`, `(?:fanden sie|war) (?:der|diese[rn]?) (?:artikel|beitrag)`, `möchten sie (?:den|diesen) (?:artikel|beitrag)`, `über (?:den autor|die autorin)\W*$`, `about the author\W*$`, `zurück(?: zu[rm]?\b.*)?\W*$`, `permal(?:ink|ien)`, `(?:this entry|der beitrag|this post) (?:was|wurde)\b`,
	`(?:bild|video|galerie|karte) (?:anzeigen|schließen|vergrößern|öffnen|ansehen)`, `inhaltsverzeichnis\W*$`, `(?:table of )?contents\W*$`, `externer inhalt`, `advertisement\W*$`, `anzeige(?:\W*$| - )`, `werbung(?:\W*$|\. )`, `reklama\W*$`,
	`(?:aktualisiert|veröffentlicht|veröffentlichung|publikacja|erstellt|verfasst|stand|updated|published|posted|publicado|actualizado|publié|mis à jour|pubblicato|opublikowano|aktualizováno)(?: (?:am|on|el|le|il|um|by|at))?\s*:?\s*\W*(?:\pL+,?\s+)?\d.{0,30}$`,
	`(?:\d+ )?(?:min(?:ute[ns]?)?\.?|minutos?) (?:read|lesezeit|de lectura|de lecture)`, `lesezeit\W`, `ten tekst przeczytasz`, `(?:kategorien?|categor(?:y|ies|ía|ie)|schlagw(?:ort|örter)|tags?|etiquetas|themen|rubrik|filed under|posted in)\s*:`,
	`(?:abonnieren|subscribe|sign up|suscríbete|abonnez-vous|iscriviti|newsletter)\b`, `alle angaben ohne gewähr`,
}, "|") + `)`)

// dated matches a line that is only a date or a time.
var dated = format.Pattern(`^\W*(?:(?i:am|on|le|el|il|\pL{2,10},?)\s+)?(?:\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}\.?\s+(?:de\s+)?\pL{3,12}\.?,?\s+(?:de\s+)?\d{4}|\pL{3,12}\.?\s+\d{1,2},?\s+\d{4}|\d{1,2}:\d{2})(?:\W+(?:(?i:um|at|à|a las|o|v|ore)\s+)?\d{1,2}[:.h]\d{2}(?::\d{2})?)?\s*(?i:uhr|am|pm|a\.m\.|p\.m\.|h|hrs?)?\W*$`)

// isLine reports whether a paragraph is a line that is not part of the article.
func isLine(par string) bool {
	return len(strings.Fields(par)) <= mostLine && (lines().MatchString(par) || dated().MatchString(par))
}

// withoutLines returns a text without the lines that are not part of an article.
func withoutLines(text string) string {
	var kept []string
	for par := range strings.SplitSeq(text, "\n\n") {
		if !isLine(strings.TrimSpace(par)) {
			kept = append(kept, par)
		}
	}
	return strings.Join(kept, "\n\n")
}
