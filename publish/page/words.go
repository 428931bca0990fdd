package page

import (
	"strings"

	"wb/internal/lazyregexp"
)

// languageForm is a language tag as HTML takes it.
var languageForm = lazyregexp.New(`^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$`)

// dictionary are the words that the writer itself puts into a page.
var dictionary = map[string]map[string]string{
	"de": {"Figure": "Abbildung", "Table": "Tabelle", "Listing": "Programmlisting", "Contents": "Inhalt", "Footnotes": "Fußnoten", "Footnote": "Fußnote", "Back to the text": "Zurück zum Text",
		"note": "Hinweis", "tip": "Tipp", "warning": "Warnung", "important": "Wichtig", "caution": "Vorsicht", "info": "Hinweis", "List of tables": "Tabellen", "List of listings": "Programmlistings", "References": "Literatur",
		"This link leads nowhere": "Dieser Verweis führt nirgendwohin", "The page has no such place": "Auf der Seite gibt es diese Stelle nicht", "This picture is not there": "Dieses Bild fehlt"},
	"fr": {"Figure": "Figure", "Table": "Tableau", "Listing": "Programme", "Contents": "Table des matières", "Footnotes": "Notes", "Footnote": "Note", "Back to the text": "Retour au texte",
		"note": "Note", "tip": "Astuce", "warning": "Avertissement", "important": "Important", "caution": "Attention", "info": "Information", "List of tables": "Liste des tableaux", "List of listings": "Liste des programmes", "References": "Références",
		"This link leads nowhere": "Ce lien ne mène nulle part", "The page has no such place": "La page n’a pas cet endroit", "This picture is not there": "Cette image manque"},
	"es": {"Figure": "Figura", "Table": "Tabla", "Listing": "Listado", "Contents": "Índice", "Footnotes": "Notas", "Footnote": "Nota", "Back to the text": "Volver al texto",
		"note": "Nota", "tip": "Consejo", "warning": "Advertencia", "important": "Importante", "caution": "Precaución", "info": "Información", "List of tables": "Índice de tablas", "List of listings": "Índice de listados", "References": "Referencias",
		"This link leads nowhere": "Este enlace no lleva a ninguna parte", "The page has no such place": "La página no tiene ese lugar", "This picture is not there": "Falta esta imagen"},
}

// english are the words that are not their own keys.
var english = map[string]string{"note": "Note", "tip": "Tip", "warning": "Warning", "important": "Important", "caution": "Caution", "info": "Info"}

func wordsIn(language string) map[string]string {
	main, _, _ := strings.Cut(strings.ToLower(language), "-")
	if words, ok := dictionary[main]; ok {
		return words
	}
	return english
}

// word is a word in the document's language.
func (w *writer) word(key string) string {
	if s, ok := w.words[key]; ok {
		return s
	}
	return key
}
