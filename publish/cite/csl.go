package cite

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wb/internal/lazyregexp"
)

// CSL is the work as an item of CSL-JSON. keep takes HTML that CSL has no word for,
// such as a formula, and returns what stands for it.
func (e *Entry) CSL(keep func(html string) string) map[string]any {
	if e.item != nil {
		item := map[string]any{}
		for name, value := range e.item {
			item[name] = value
		}
		item["id"] = e.Key
		return item
	}
	c := &cslItem{e: e, keep: keep, out: map[string]any{"id": e.Key, "type": e.cslType()}}
	lang := strings.ToLower(e.Field("langid"))
	c.sentence = lang == "" || englishTitles[lang]
	c.set("language", firstOf(languages[lang], c.rich("language", false)))
	c.numbers()
	c.titles()
	c.people()
	c.dates()
	for name, variable := range cslFields {
		c.set(variable, c.rich(name, false))
	}
	var publishers []string
	for _, name := range []string{"school", "institution", "organization", "howpublished", "publisher"} {
		if text := c.rich(name, false); text != "" {
			publishers = append(publishers, text)
		}
	}
	c.set("publisher", strings.Join(publishers, "; "))
	place := "publisher-place"
	if e.Type == "patent" {
		place = "jurisdiction"
	}
	c.set(place, firstOf(c.rich("location", false), c.rich("address", false)))
	c.set("note", join(". ", c.rich("note", false), c.rich("addendum", false)))
	c.set("URL", e.address())
	return c.out
}

// englishTitles are the langids whose titles are written In Title Case.
var englishTitles = map[string]bool{"english": true, "american": true, "usenglish": true, "british": true, "ukenglish": true, "canadian": true, "australian": true, "newzealand": true}

// languages are codes of babel's names for languages, so that titles in others than
// English keep their letters.
var languages = map[string]string{"english": "en-US", "usenglish": "en-US", "american": "en-US", "canadian": "en-US", "british": "en-GB", "ukenglish": "en-GB", "australian": "en-GB",
	"newzealand": "en-GB", "german": "de-DE", "germanb": "de-DE", "ngerman": "de-DE", "austrian": "de-AT", "naustrian": "de-AT", "french": "fr-FR", "francais": "fr-FR",
	"canadien": "fr-CA", "acadian": "fr-CA", "spanish": "es-ES", "italian": "it-IT", "portuguese": "pt-PT", "portugues": "pt-PT", "brazil": "pt-BR", "brazilian": "pt-BR",
	"dutch": "nl-NL", "danish": "da-DK", "swedish": "sv-SE", "norsk": "nb-NO", "nynorsk": "nn-NO", "finnish": "fi-FI", "icelandic": "is-IS", "polish": "pl-PL", "czech": "cs-CZ",
	"slovak": "sk-SK", "slovene": "sl-SI", "croatian": "hr-HR", "serbian": "sr-RS", "romanian": "ro-RO", "hungarian": "hu-HU", "magyar": "hu-HU", "russian": "ru-RU",
	"ukrainian": "uk-UA", "bulgarian": "bg-BG", "greek": "el-GR", "turkish": "tr-TR", "hebrew": "he-IL", "arabic": "ar", "japanese": "ja-JP", "latin": "la", "catalan": "ca-AD",
	"basque": "eu", "estonian": "et-EE", "latvian": "lv-LV", "lithuanian": "lt-LT", "vietnamese": "vi-VN", "thai": "th-TH"}

// cslFields are the fields that are variables of CSL as they are.
var cslFields = map[string]string{"volume": "volume", "part": "part", "edition": "edition", "version": "version", "volumes": "number-of-volumes",
	"pagetotal": "number-of-pages", "chapter": "chapter-number", "origpublisher": "original-publisher", "venue": "event-place",
	"origlocation": "original-publisher-place", "doi": "DOI", "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "pmcid": "PMCID", "library": "call-number",
	"abstract": "abstract", "annotation": "annote", "annote": "annote", "pubstate": "status", "keywords": "keyword", "label": "citation-label"}

// cslTypes are the types of BibTeX and biblatex in CSL's words.
var cslTypes = map[string]string{"book": "book", "booklet": "pamphlet", "bookinbook": "chapter", "misc": "article", "other": "article", "standard": "legislation",
	"collection": "book", "conference": "paper-conference", "dataset": "dataset", "data": "dataset", "electronic": "webpage", "inbook": "chapter", "incollection": "chapter",
	"inreference": "entry-encyclopedia", "inproceedings": "paper-conference", "manual": "book", "mastersthesis": "thesis", "mvbook": "book", "mvcollection": "book",
	"mvproceedings": "book", "mvreference": "book", "online": "webpage", "patent": "patent", "phdthesis": "thesis", "proceedings": "book", "reference": "book",
	"report": "report", "software": "software", "suppbook": "chapter", "suppcollection": "chapter", "techreport": "report", "thesis": "thesis", "unpublished": "manuscript",
	"www": "webpage", "artwork": "graphic", "audio": "song", "commentary": "book", "image": "figure", "jurisdiction": "legal_case", "legislation": "bill", "legal": "treaty",
	"letter": "personal_communication", "letters": "personal_communication", "movie": "motion_picture", "music": "song", "performance": "speech", "review": "review",
	"video": "motion_picture", "newsarticle": "article-newspaper"}

func (e *Entry) cslType() string {
	switch e.Type {
	case "article", "periodical", "suppperiodical":
		switch e.Field("entrysubtype") {
		case "magazine":
			return "article-magazine"
		case "newspaper":
			return "article-newspaper"
		}
		return "article-journal"
	}
	return firstOf(cslTypes[e.Type], "article")
}

// genres are the kinds of reports and theses that the field type names by a key.
var genres = map[string]string{"mastersthesis": "Master’s thesis", "phdthesis": "PhD thesis", "mathesis": "Master’s thesis", "resreport": "research report",
	"techreport": "technical report", "patreqfr": "French patent request", "patenteu": "European patent", "patentus": "U.S. patent"}

// cslItem is an item that is being made.
type cslItem struct {
	e        *Entry
	keep     func(html string) string
	out      map[string]any
	sentence bool // titles are put into sentence case
}

func (c *cslItem) set(variable, text string) {
	if text != "" && c.out[variable] == nil {
		c.out[variable] = text
	}
}

// rich is a field in the markup of CSL.
func (c *cslItem) rich(name string, title bool) string {
	field := c.e.Field(name)
	if field == "" {
		return ""
	}
	text := strings.TrimSpace(Rich(protected(field, title), c.keep))
	if title && c.sentence {
		text = sentenceCase(text)
	}
	return wordForm.ReplaceAllString(text, noCase+"$1$2$3</span>")
}

func (c *cslItem) title(name string) string { return c.rich(name, true) }

// numbers are the kind of the work, its number and its pages.
func (c *cslItem) numbers() {
	e := c.e
	if kind := e.Field("type"); kind != "" {
		c.set("genre", firstOf(genres[kind], c.rich("type", false)))
	}
	number := c.rich("number", false)
	switch {
	case isCollection[e.Type]:
		c.set("collection-number", number)
	case isArticle[e.Type]:
		c.set("issue", join(", ", number, c.rich("issue", false)))
	default:
		c.set("number", number)
	}
	c.set("page", strings.ReplaceAll(c.rich("pages", false), "–", "-"))
}

func set(names string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		out[name] = true
	}
	return out
}

var (
	isArticle    = set("article periodical suppperiodical review")
	isPart       = set("inbook incollection inproceedings inreference bookinbook conference")
	isCollection = set("book collection proceedings reference mvbook mvcollection mvproceedings mvreference bookinbook inbook incollection inproceedings conference inreference suppbook suppcollection")
)

// titles are those of the work, and of what it is part of.
func (c *cslItem) titles() {
	e := c.e
	whole := func(title, sub, addon string) string {
		text := c.title(title)
		if text == "" {
			return ""
		}
		return join(". ", join(": ", text, c.title(sub)), c.title(addon))
	}
	main, part := e.Field("maintitle") != "", isPart[e.Type]
	switch {
	case e.Type == "periodical":
		c.set("title", whole("issuetitle", "issuesubtitle", "titleaddon"))
		c.set("container-title", whole("title", "subtitle", "titleaddon"))
	case main && !part:
		c.set("title", whole("maintitle", "mainsubtitle", "maintitleaddon"))
		c.set("volume-title", whole("title", "subtitle", "titleaddon"))
	default:
		c.set("title", whole("title", "subtitle", "titleaddon"))
		c.set("title-short", c.title("shorttitle"))
		if e.Field("subtitle") != "" || e.Field("titleaddon") != "" {
			c.set("title-short", c.title("title"))
		}
	}
	if part && main {
		c.set("container-title", whole("maintitle", "mainsubtitle", "maintitleaddon"))
		c.set("volume-title", whole("booktitle", "booksubtitle", "booktitleaddon"))
	} else if part {
		c.set("container-title", whole("booktitle", "booksubtitle", "booktitleaddon"))
	}
	c.set("container-title", whole("journaltitle", "journalsubtitle", ""))
	c.set("container-title", whole("journal", "journalsubtitle", ""))
	c.set("container-title-short", c.title("shortjournal"))
	c.set("event-title", c.title("eventtitle"))
	c.set("original-title", c.title("origtitle"))
	c.set("collection-title", c.title("series"))
}

// editors are what the field editortype calls people.
var editors = map[string]string{"organizer": "organizer", "director": "director", "compiler": "compiler", "editor": "editor", "collaborator": "contributor"}

func (c *cslItem) people() {
	add := func(variable, field string) {
		text, ok := c.e.fields[field]
		if !ok && field != "author" {
			text = c.e.Field(field)
		}
		var names []map[string]any
		for _, one := range splitNames(text) {
			names = append(names, c.name(one))
		}
		if len(names) > 0 && variable != "" && c.out[variable] == nil {
			c.out[variable] = names
		}
	}
	add("author", "author")
	add("container-author", "bookauthor")
	add("translator", "translator")
	add(firstOf(editors[c.e.Field("editortype")], "editor"), "editor")
	add(editors[c.e.Field("editoratype")], "editora")
}

// droppable are particles that a family name does without.
var droppable = set("dela il sen z ze")

// name is a person, or a body whose name stands in braces.
func (c *cslItem) name(text string) map[string]any {
	plain := func(tex string) string { return plainText(tex) }
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") && !strings.ContainsAny(inner[:len(inner)-1], "{}") {
		return map[string]any{"literal": plain(inner[:len(inner)-1])}
	}
	if text == "others" {
		return map[string]any{"literal": "others"}
	}
	var family, given []string
	out := map[string]any{}
	switch parts := splitOutside(text, ','); len(parts) {
	case 0, 1:
		words := splitOutside(text, ' ')
		at := slices.IndexFunc(words, isSmall)
		if at < 0 {
			at = len(words) - 1
		}
		given, family = words[:max(at, 0)], words[max(at, 0):]
	case 2:
		family, given = splitOutside(parts[0], ' '), parts[1:]
	default:
		family, given = splitOutside(parts[0], ' '), parts[2:3]
		out["suffix"] = plain(parts[1])
	}
	particles := 0
	for particles < len(family)-1 && isSmall(family[particles]) {
		particles++
	}
	if particles > 0 {
		kind := "non-dropping-particle"
		if droppable[family[0]] {
			kind = "dropping-particle"
		}
		out[kind] = plain(strings.Join(family[:particles], " "))
	}
	out["family"] = plain(strings.Join(family[particles:], " "))
	if len(given) > 0 {
		out["given"] = plain(strings.Join(given, " "))
	}
	return out
}

// isSmall reports whether a word is in small letters.
func isSmall(word string) bool {
	r, _ := utf8.DecodeRuneInString(plainText(word))
	return unicode.IsLower(r)
}

func (c *cslItem) dates() {
	e := c.e
	issued := date(e.Field("date"))
	if year := e.Year(); issued == nil && year != "" {
		parts := []int{}
		if n, err := strconv.Atoi(yearNumber.FindString(year)); err == nil {
			parts = append(parts, n)
			if m := month(e.Field("month")); m > 0 {
				parts = append(parts, m)
			}
			issued = map[string]any{"date-parts": [][]int{parts}}
		} else {
			issued = map[string]any{"literal": year}
		}
	}
	for variable, d := range map[string]map[string]any{"issued": issued, "event-date": date(e.Field("eventdate")), "original-date": date(e.Field("origdate")), "accessed": date(e.Field("urldate"))} {
		if d != nil {
			c.out[variable] = d
		}
	}
}

var (
	yearNumber = lazyregexp.New(`-?\d+`)
	isoDate    = lazyregexp.New(`^(-?\d{1,4})(?:-(\d\d))?(?:-(\d\d))?(?:T[^/]*)?[?~%]?$`)
)

// date reads 1984, 1984-05, 1984-05-02 and two of them with a slash between.
func date(text string) map[string]any {
	if text == "" {
		return nil
	}
	var all [][]int
	for one := range strings.SplitSeq(text, "/") {
		m := isoDate.FindStringSubmatch(strings.TrimSpace(one))
		if m == nil {
			continue
		}
		var parts []int
		for _, digits := range m[1:] {
			if n, err := strconv.Atoi(digits); err == nil && n != 0 {
				parts = append(parts, n)
			}
		}
		all = append(all, parts)
	}
	if len(all) == 0 {
		return nil
	}
	return map[string]any{"date-parts": all}
}

// month is the number of a month that is written as a number or an English word.
func month(text string) int {
	text = strings.ToLower(plainText(text))
	if n, err := strconv.Atoi(text); err == nil && 1 <= n && n <= 12 {
		return n
	}
	for i, name := range []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if strings.HasPrefix(text, name) {
			return i + 1
		}
	}
	return 0
}

// archives are where eprints are, by what keeps them.
var archives = map[string]string{"arxiv": "https://arxiv.org/abs/", "jstor": "https://www.jstor.org/stable/", "pubmed": "https://www.ncbi.nlm.nih.gov/pubmed/",
	"googlebooks": "https://books.google.com?id="}

// address is the work's own address, not that of its DOI.
func (e *Entry) address() string {
	if url := e.Field("url"); url != "" {
		return strings.ReplaceAll(url, `\`, "")
	}
	base := archives[strings.ToLower(firstOf(e.Field("eprinttype"), e.Field("archiveprefix")))]
	if eprint := e.Field("eprint"); base != "" && eprint != "" {
		return base + eprint
	}
	return ""
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// richTags are the tags of HTML that CSL has too, in its spelling.
var richTags = map[string]string{"em": "i", "i": "i", "strong": "b", "b": "b", "sup": "sup", "sub": "sub"}

var (
	richForm = lazyregexp.New(`(?s)<math\b.*?</math>|<span class="nocase">|</span>|</?([a-z0-9]+)\b[^>]*>`)
)

// Rich is HTML in the markup that CSL knows within texts. What it does not know goes,
// but for formulas, which keep takes.
func Rich(text string, keep func(html string) string) string {
	var out strings.Builder
	pos := 0
	for _, m := range richForm.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(html.UnescapeString(text[pos:m[0]]))
		pos = m[1]
		tag := text[m[0]:m[1]]
		switch {
		case strings.HasPrefix(tag, "<math"):
			out.WriteString(keep(tag))
		case m[2] < 0:
			out.WriteString(tag)
		case richTags[text[m[2]:m[3]]] != "":
			out.WriteString(tag[:m[2]-m[0]] + richTags[text[m[2]:m[3]]] + ">")
		}
	}
	return out.String() + html.UnescapeString(text[pos:])
}

// sentenceCase makes small letters of a title but for its first one, what follows a
// colon, and what is protected.
func sentenceCase(text string) string {
	var out strings.Builder
	protected, begins := 0, true
	for pos := 0; pos < len(text); {
		if text[pos] == '<' {
			if end := strings.IndexByte(text[pos:], '>'); end > 0 {
				switch tag := text[pos : pos+end+1]; tag {
				case noCase:
					protected++
					begins = false
				case "</span>":
					protected--
				}
				out.WriteString(text[pos : pos+end+1])
				pos += end + 1
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[pos:])
		letter := text[pos : pos+size]
		switch {
		case protected > 0 || !unicode.IsLetter(r):
		case begins:
			letter = strings.ToUpper(letter)
		case !afterColon.MatchString(text[:pos]):
			letter = strings.ToLower(letter)
		}
		begins = begins && !unicode.IsLetter(r)
		out.WriteString(letter)
		pos += size
	}
	return out.String()
}

// wordForm is a word that is partly protected. All of it is to be, or its parts would be
// words to the processor.
var wordForm = lazyregexp.New(`(\pL*)<span class="nocase">([^<]*)</span>(\pL*)`)

const noCase = `<span class="nocase">`

var afterColon = lazyregexp.New(`: +["'“‘]*$`)
