// Package programs runs the programs of workbooks on a fabric: it makes package
// fabric's work of package compile/remote's requests, and is where a caller and
// a worker of the same version of wb meet.
//
// A program travels when running it twice does no harm and gives the same:
// at-least-once delivery may run it twice. So these stay with their caller, and
// [Sender] says why (see [Config.Stayed]):
//
//   - a program of a live session, whose interpreter is in the caller's memory;
//   - one that was granted something of the dock: a message sent twice is two
//     messages;
//   - one that reads the clock or true random numbers, whose results differ.
//
// Files of the caller are asked for while the program runs, so only those that
// are read cross the network. A kept result says what was read: it is used again
// by callers whose files say the same, and for others the work is done again
// under a key that what they have gives (see [follow]).
package programs
