// Package preset finds what people set for org files outside of them: keywords,
// tags that are not inherited, priorities, agenda files. It looks in three places,
// of which a later one counts more:
//
//   - the init file that wb.toml names, such as ~/.emacs.d/init.el,
//   - the table [org] of wb.toml itself,
//   - the nearest .dir-locals.el at or above a file.
//
// Lisp is read and never evaluated. [variables] knows setq, setopt,
// customize-set-variable, custom-set-variables, add-to-list and use-package with
// values that are written down; what is computed stands in [Finder.Notes].
//
//	f, err := preset.Load(os.Getenv)
//	doc := org.ParseWith(src, f.For("notes/plan.org").Presets)
package preset
