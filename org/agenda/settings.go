package agenda

// Settings are what people set in Emacs.
type Settings struct {
	// WarningDays is how long before a deadline the agenda warns of it.
	WarningDays int
	// Highest, Lowest and Default are priorities: letters, or numbers below 65.
	Highest, Lowest, Default int
	// NoInheritance says that headlines do not inherit tags.
	NoInheritance bool
	// NotInherited are tags that headlines do not inherit.
	NotInherited []string
	// TagsColumn is where tags end in text.
	TagsColumn int
}

// Defaults are the settings of Org.
func Defaults() Settings {
	return Settings{WarningDays: 14, Highest: 'A', Lowest: 'C', Default: 'B', TagsColumn: 80}
}
