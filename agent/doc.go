// Package agent runs agents: a model asked in a loop, with tools that work
// inside the sandbox, bounds that hold before they would be broken, and a
// journal from which a killed run goes on.
//
// # The loop
//
// A run starts from two messages, the system prompt and the task. Each turn
// asks the model; when it calls tools they are run and their outputs appended,
// and the model is asked again. It ends when the model answers without a tool,
// calls done, meets a bound, or is cancelled. Whatever goes wrong becomes text:
// a tool's failure is read by the model, the run's failure is its result. See
// loop.go; everything it needs is behind [Model], [Tool] and [Recorder].
//
// # Bounds
//
// [Bounds] says what a run may use, a [Ledger] reserves it before each call and
// settles after. Runs that a run starts draw on the same ledger. A part is held
// back so that the last turn, which asks for a conclusion without tools, is
// always affordable.
//
// # Events
//
// Whatever happens in a run is an [Event] that says which run it is of, which is
// the outermost, and which session. It is recorded, and heard at three levels:
// see [Listener].
//
// # Durability
//
// What happened is in the journal before it is in the transcript. A run whose
// process was killed is resumed by running the loop again on its journal:
// turns and effects that are there are taken from it and not done again. The
// same machinery forks a run at a step and replays it offline.
package agent
