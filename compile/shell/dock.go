package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"wb/sandbox/dock"
)

// dockCommand is the command through which scripts ask the host:
//
//	wb kv put greeting hello
//	date | wb kv put stamp        # the last argument from standard input
//	wb kv get greeting || echo "there is none"
//
// It exits with 0, with 1 when there is nothing of that name, with 2 when it was
// called wrongly, and with 7 when it was refused.
const dockCommand = "wb"

// The exit codes of dockCommand.
const (
	dockNone   = 1
	dockUsage  = 2
	dockFailed = 3
	dockDenied = 7
)

// runDock runs dockCommand: the host itself is the program.
func (p *process) runDock() int {
	out, code := p.askDock(p.k.ctx)
	if code == 0 && len(out) > 0 && p.streams[1] != nil {
		if _, err := p.streams[1].WriteContext(p.k.ctx, out); err != nil {
			return 141 // as a command that SIGPIPE ended
		}
	}
	return code
}

func (p *process) askDock(ctx context.Context) (out []byte, code int) {
	if len(p.argv) < 3 {
		p.complain("usage: wb MODULE OPERATION [ARGUMENT]…; the modules are " + strings.Join(dock.Modules(), ", "))
		return nil, dockUsage
	}
	op, ok := dock.Find(p.argv[1] + "." + p.argv[2])
	if !ok {
		p.complain(fmt.Sprintf("wb: there is no %s %s; the modules are %s", p.argv[1], p.argv[2], strings.Join(dock.Modules(), ", ")))
		return nil, dockUsage
	}
	args, err := p.dockArguments(ctx, op, p.argv[3:])
	if err != nil {
		p.complain("wb: " + err.Error() + "; usage: wb " + strings.Replace(op.String(), ".", " ", 1) + usageOf(op))
		return nil, dockUsage
	}
	reply, err := p.k.dock.Call(ctx, op.String(), args...)
	if err != nil {
		p.complain("wb: " + strings.TrimSpace(err.Error()+" "+hintOf(err)))
		return nil, dockExit(err)
	}
	if !reply.Found {
		return nil, dockNone
	}
	if (op.Result == dock.JSON || op.Result == dock.Text) && !bytes.HasSuffix(reply.Body, []byte("\n")) {
		return append(reply.Body, '\n'), 0
	}
	return reply.Body, 0
}

// dockArguments are the words of the command line as the operation's
// parameters. Where the last one that takes data is missing, it is read from
// standard input; missing JSON and prefixes are nothing. Words beyond the
// parameters of an operation that takes a list become that list.
func (p *process) dockArguments(ctx context.Context, op *dock.Operation, words []string) ([][]byte, error) {
	args := make([][]byte, 0, len(op.Params))
	for i, param := range op.Params {
		switch {
		case param.JSON && param.Name == "args":
			list, err := json.Marshal(words[min(i, len(words)):])
			if err != nil {
				return nil, err
			}
			if i < len(words) {
				args = append(args, list)
			} else {
				args = append(args, nil)
			}
			return args, nil
		case i < len(words) && !(param.Name == "input" && words[i] == "-"):
			args = append(args, []byte(words[i]))
		case param.Data:
			data, err := p.readInput(ctx, param.Most)
			if err != nil {
				return nil, err
			}
			args = append(args, data)
		case param.JSON || param.Name == "prefix":
			args = append(args, nil)
		default:
			return nil, errors.New(param.Name + " is missing")
		}
	}
	if len(words) > len(op.Params) {
		return nil, errors.New("too many arguments")
	}
	return args, nil
}

// readInput reads standard input, one byte more than is allowed at most: the
// dock says what is too much.
func (p *process) readInput(ctx context.Context, most int) ([]byte, error) {
	if p.streams[0] == nil {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(contextReader{ctx, p.streams[0]}, int64(most)+1))
}

type contextReader struct {
	ctx context.Context
	s   *stream
}

func (r contextReader) Read(b []byte) (int, error) { return r.s.ReadContext(r.ctx, b) }

func (p *process) complain(text string) {
	if p.streams[2] != nil {
		_, _ = p.streams[2].WriteContext(p.k.ctx, []byte(text+"\n")) // nobody is left to hear of it
	}
}

func usageOf(op *dock.Operation) string {
	var b strings.Builder
	for _, p := range op.Params {
		fmt.Fprintf(&b, " %s", strings.ToUpper(p.Name))
	}
	return b.String()
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*dock.Error](err); ok && e.Help != "" {
		return "(" + e.Help + ")"
	}
	return ""
}

func dockExit(err error) int {
	if e, ok := errors.AsType[*dock.Error](err); ok {
		switch e.Code {
		case dock.CodeDenied:
			return dockDenied
		case dock.CodeInvalid:
			return dockUsage
		}
	}
	return dockFailed
}
