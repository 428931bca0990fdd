// Package trace records what runs did, in forms that people, queries and
// auditors can use, and keeps the state that runs need to survive a crash.
//
// # Views
//
// A [Run] stamps each [Event] with the run's id, a call number and the time,
// and hands it to its views:
//
//   - events.org, one org headline per event ([EventsFile], [ScanEvents]);
//   - _steps.jsonl, one JSON object per event ([StepsFile], [ScanSteps]);
//   - _ledger.json, a signed seal over _steps.jsonl at the end of the run
//     ([Seal], [VerifyLedger]);
//   - any other [Sink].
//
// Views inform and never stop a run: the first one that cannot be written is
// reported once and the run's result is marked `:TRACE: incomplete`. Files are
// append-only. An event is one write(2) under an advisory lock of its file, so
// several processes share a file, and a process that dies in the middle of a
// write leaves at most one torn record, which readers mark and writers fence off.
//
// Bodies are quoted as one-line excerpts; text that is longer is kept whole in
// a [BlobStore] under the SHA-256 that the event names.
//
// # State
//
// The [Journal] is different: a resumed run reads it, is synced to
// disk before the effect it announces, and a failure to write it refuses that
// effect. Journals, blobs and the registry of runs live in the user's state
// directory ([State]), never beside the workbook.
package trace
