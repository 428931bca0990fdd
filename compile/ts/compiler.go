package ts

import (
	"context"
	_ "embed"
	"fmt"

	"wb/compile"
	"wb/compile/js"
	"wb/compile/toolchain"
	"wb/sandbox"
	"wb/sandbox/dock"
)

//go:embed driver.js
var driver string

// machineTypes declares what the machine gives programs beyond the language.
//
//go:embed guest.d.ts
var machineTypes string

var guestTypes = machineTypes + dock.TypeScriptModule()

// version is part of every cache key: raise it when the same source may be
// judged or translated otherwise.
const version = "1"

// compiler is typescript.js, frozen in the sandbox.
type compiler struct {
	env     *compile.Env
	runtime *js.Runtime
	tool    *js.Tool
}

func newCompiler(env *compile.Env, runtime *js.Runtime) *compiler {
	c := &compiler{env: env, runtime: runtime}
	env.Tools.Register(c.recipe())
	c.tool = runtime.NewTool(c.toolConfig(c.installed))
	return c
}

// installed is the toolchain, installed first when it is not there.
func (c *compiler) installed(ctx context.Context) (toolchain.Toolchain, error) {
	return c.env.Tools.Ensure(ctx, ToolName, c.env.Progress)
}

// startLimits bound starting the compiler. limits bound one check: the fuel is
// for about half a minute of computing, a notebook's block needs a hundredth.
var (
	startLimits = sandbox.Limits{Memory: 512 << 20, Fuel: 20_000_000_000, Timeout: -1}
	limits      = sandbox.Limits{Memory: 1 << 30, Fuel: 4_000_000_000, Timeout: -1}
)

func (c *compiler) toolConfig(installed func(context.Context) (toolchain.Toolchain, error)) js.ToolConfig {
	return js.ToolConfig{
		Name: ToolName, Key: c.fingerprint, Start: startLimits, Limits: limits, Slack: 32 << 20,
		Scripts: func(ctx context.Context) ([]js.Script, error) {
			t, err := installed(ctx)
			if err != nil {
				return nil, err
			}
			return scripts(t)
		},
		Warm: &request{Readings: []reading{{Kind: kindModule, Text: "import { readFileSync } from 'fs'; export const f = (xs: number[]) => new Map(xs.map(x => [x, `${x}`])); console.log(f([1]), readFileSync('x'))"}}},
	}
}

// fingerprint names compiler, declarations and driver.
func (c *compiler) fingerprint() string {
	return fmt.Sprintf("ts/%s/%s/%s", version, c.env.Tools.Fingerprint(ToolName), toolchain.HashText(driver, guestTypes))
}

// kind is how a reading of a block is a program.
type kind string

const (
	kindModule   kind = "module"
	kindFunction kind = "function"
	kindScript   kind = "script"
)

// request asks the driver to check one block and to translate it.
type request struct {
	Readings []reading `json:"readings"`
	Body     string    `json:"body"` // without what stands around it
	Session  []earlier `json:"session"`
	// Type is the type the called function must be assignable to, "" for any;
	// Prelude declares what Type mentions; Func is the name asked for.
	Type    string `json:"type"`
	Prelude string `json:"prelude"`
	Func    string `json:"func"`
}

// reading is one way to understand a block. Vars are the declarations of its
// variables in a session.
type reading struct {
	Kind kind   `json:"kind"`
	Text string `json:"text"`
	Vars string `json:"vars"`
}

// earlier is a block that ran before in the same session.
type earlier struct {
	Vars string `json:"vars"`
	Text string `json:"text"`
}

// reply is the driver's answer: what is wrong or, when nothing is, the
// translation of every file.
type reply struct {
	Reading     int      `json:"reading"` // index of the one that was taken
	Diagnostics []told   `json:"diagnostics"`
	Files       []output `json:"files"`
}

// told is a message about a place. Line counts from 1, Character from 0 in
// UTF-16 code units; File is "" when it is about nothing in particular.
type told struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Character int    `json:"character"`
	Code      int    `json:"code"`
	Message   string `json:"message"`
	Notes     []told `json:"notes"`
}

// output is a translated file.
type output struct {
	File     string `json:"file"` // what was translated
	Out      string `json:"out"`  // its name afterwards
	Text     string `json:"text"`
	Mappings string `json:"mappings"`
}

// Files of a request that are not files of the author's.
const (
	blockFile = "block.ts"
	varsFile  = "vars.ts"
)
