package hugo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"wb/publish/site/theme"
)

// wordsIn are the words of the built-in theme in a language: those that are translated,
// and the others in English.
func wordsIn(code string) (map[string]string, error) {
	words := map[string]string{}
	short, _, _ := strings.Cut(code, "-")
	for _, name := range []string{"en", short} {
		text, err := fs.ReadFile(theme.Files, "i18n/"+name+".json")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(text, &words)
		}
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}
