package agenda

// Settings are the user's Emacs settings for agendas; those for files
// is in [org.Presets].
type Settings struct {
	// WarningDays is how long before a deadline the agenda warns of it.
	WarningDays int
	// Highest, Lowest and Default are priorities: letters, or numbers below 65.
	Highest, Lowest, Default int
	// TagsColumn is where tags end in text.
	TagsColumn int
}

// Defaults are the settings of Org.
func Defaults() Settings {
	return Settings{WarningDays: 14, Highest: 'A', Lowest: 'C', Default: 'B', TagsColumn: 80}
}
