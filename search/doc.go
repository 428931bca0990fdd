// Package search finds headings by what stands under them.
//
// A [Document] is one heading of an org or Markdown file with the text up to
// the next heading, in fields: title, outline path, tags, prose, code, results.
// An [Index] keeps the documents of the files below some paths in a [Backend],
// brings it up to date before every search ([Index.Refresh] reads only files
// that changed) and ranks ([Index.Search]).
//
// # How a query is read
//
// Words are searched in any order and place; more of them found is better.
// "a phrase" must stand so, word* is a prefix, -word and -"a phrase" exclude,
// +word must be there, and any OQL predicate filters (todo:NEXT, tags:work).
// See [ParseQuery].
//
// # How headings are ranked
//
// Every word is scored by BM25 with a weight per field, a title counting more
// than prose, prose more than results. A word also matches, for less, by its
// stem, by its parts (userName, user_name and user-name are found by "user
// name" and by each other), by the synonyms of the project's own glossary, and
// by words spelt nearly like it when no text contains it as asked. Words
// that stand together in the text as they do in the query lift a heading, and
// so does every further word that is found. Ties are broken by path and line:
// the same files and the same query give the same list.
//
// With an embedding endpoint ([Embedder]) the list is fused with that of the
// nearest vectors by reciprocal rank; only then is a search called semantic.
//
// # What is measured
//
// [Evaluate] runs judged queries from an org file and reports nDCG@10, MRR and
// recall beside plain BM25 and the order in which grep would show the headings.
package search
