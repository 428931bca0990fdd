// Package agenda shows what is due: the days, weeks and to-do lists that Org's
// agenda shows, made without Emacs.
//
//	file := agenda.Read("notes.org", doc)
//	view := agenda.Days(files, agenda.Span{From: today, Days: 7, Name: "Week"}, now, settings)
//	view.Text(os.Stdout)
//
// [Read] collects the entries of a document that have dates: scheduled and
// deadline stamps, active timestamps and ranges in the text. [Days] says which of
// them show on each day of a span, and [List] lists entries without regard to
// dates. Both sort as Org sorts by default. A [View] is written as text, which is
// that of Emacs's *Org Agenda* buffer with tags aligned to column 80, as JSON or
// as HTML; [Calendar] writes entries as iCalendar.
//
// Dates given by Lisp (<%%(…)>) and the diary are left out.
package agenda
