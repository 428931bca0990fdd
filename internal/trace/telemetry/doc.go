// Package telemetry reads what runs did back from their records and says what
// it amounted to: calls, errors, time, fuel, tokens and money, what was slow and
// what failed last ([Summarize]); and how two runs differ ([Compare]).
//
// Records are found through the registry of runs in the state directory, or in
// an events.org, _steps.jsonl or directory that is named ([Find]).
package telemetry
