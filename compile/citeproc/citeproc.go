// Package citeproc writes citations and bibliographies by styles of the Citation
// Style Language. The work is done by citeproc-js, its reference implementation,
// in QuickJS in the sandbox: it is started once per machine and frozen, and every
// document gets a copy. What came out is kept by everything that went in.
//
// Styles and locales are those of the CSL project (citationstyles.org).
package citeproc

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/js"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

//go:embed driver.js
var driver string

// version is part of every cache key: raise it when equal requests may get other
// answers.
const version = "1"

// Processor implements [compile.Citations].
type Processor struct {
	env  *compile.Env
	tool *js.Tool
}

// New registers the toolchains; nothing is installed or loaded yet.
func New(env *compile.Env, runtime *js.Runtime) *Processor {
	p := &Processor{env: env}
	env.Tools.Register(p.recipe(runtime))
	env.Tools.Register(localesRecipe())
	env.Tools.Register(stylesRecipe())
	p.tool = runtime.NewTool(p.toolConfig(func(ctx context.Context) (toolchain.Toolchain, error) {
		return env.Tools.Ensure(ctx, toolName, env.Progress)
	}))
	return p
}

// startLimits bound starting the processor. limits bound the citations of one
// document: a thesis with a thousand of them needs a tenth of the fuel.
var (
	startLimits = sandbox.Limits{Memory: 256 << 20, Fuel: 20_000_000_000, Timeout: -1}
	limits      = sandbox.Limits{Memory: 512 << 20, Fuel: 40_000_000_000, Timeout: -1}
)

func (p *Processor) toolConfig(installed func(context.Context) (toolchain.Toolchain, error)) js.ToolConfig {
	return js.ToolConfig{
		Name: toolName, Key: p.fingerprint, Start: startLimits, Limits: limits, Slack: 16 << 20,
		Scripts: func(ctx context.Context) ([]js.Script, error) {
			t, err := installed(ctx)
			if err != nil {
				return nil, err
			}
			text, err := t.ReadFile(scriptFile)
			if err != nil {
				return nil, err
			}
			return []js.Script{{Name: "module.js", Text: "globalThis.module = {}"}, {Name: scriptFile, Text: string(text)}, {Name: "driver.js", Text: driver}}, nil
		},
	}
}

// fingerprint names the processor, its locales and the driver.
func (p *Processor) fingerprint() string {
	return fmt.Sprintf("citeproc/%s/%s/%s/%s", version, p.env.Tools.Fingerprint(toolName), p.env.Tools.Fingerprint(localesName), toolchain.HashText(driver))
}

// Cite writes the citations of a document, or finds what it wrote before.
func (p *Processor) Cite(ctx context.Context, doc *compile.CitedDocument) (*compile.Cited, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	key := toolchain.HashText(p.fingerprint(), string(text))
	if out := p.kept(key); out != nil {
		return out, nil
	}
	out, err := p.cite(ctx, p.tool, doc)
	if err != nil {
		return nil, err
	}
	return out, p.keep(key, out)
}

// metaCited is the entry of an artifact's Meta that holds an answer.
const metaCited = "cited"

// kept is the answer to an equal request, nil when there is none.
func (p *Processor) kept(key string) *compile.Cited {
	if p.env.Cache == nil {
		return nil
	}
	art, ok, err := p.env.Cache.Get(key)
	if err != nil || !ok {
		return nil
	}
	var out compile.Cited
	if json.Unmarshal([]byte(art.Meta[metaCited]), &out) != nil {
		return nil
	}
	return &out
}

func (p *Processor) keep(key string, out *compile.Cited) error {
	if p.env.Cache == nil {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return p.env.Cache.Put(key, &compile.Artifact{Lane: toolName, Digest: key, Meta: map[string]string{metaCited: string(text)}})
}

// request is a document with the locales that it may need.
type request struct {
	*compile.CitedDocument
	Locales map[string]string `json:"locales"`
}

func (p *Processor) cite(ctx context.Context, tool *js.Tool, doc *compile.CitedDocument) (*compile.Cited, error) {
	if !strings.Contains(doc.Style, "<style") {
		return nil, diag.Failedf("a style is an XML file whose outermost element is style", "this is no style of CSL")
	}
	locales, err := p.locales(ctx, doc.Lang, defaultLocale(doc.Style))
	if err != nil {
		return nil, err
	}
	var out compile.Cited
	err = tool.Call(ctx, nil, nil, &request{doc, locales}, &out)
	var thrown *js.ToolError
	if errors.As(err, &thrown) {
		return nil, diag.Failedf("is it a valid style of CSL 1.0?", "the style cannot be carried out: %s", thrown.Reason)
	}
	if err != nil {
		return nil, err
	}
	for i, text := range out.Citations {
		out.Citations[i] = harmless(text)
	}
	for i, e := range out.Entries {
		out.Entries[i].HTML = harmless(e.HTML)
	}
	return &out, nil
}

var (
	localeForm   = lazyregexp.New(`<style\b[^>]*\bdefault-locale="([A-Za-z-]+)"`)
	anchorForm   = lazyregexp.New(`<a\b[^>]*>`)
	harmlessForm = lazyregexp.New(`^<a href="(?:https?://|#)[^"\s<>]*">$`)
)

// defaultLocale is the language that a style says it is for.
func defaultLocale(style string) string {
	if m := localeForm.FindStringSubmatch(style); m != nil {
		return m[1]
	}
	return ""
}

// harmless leaves out the tags of links that lead to no page of the web: addresses
// come from bibliographies, and the processor does not escape quotes in them.
func harmless(text string) string {
	open := false
	out := anchorForm.ReplaceAllStringFunc(text, func(tag string) string {
		if harmlessForm.MatchString(tag) {
			return tag
		}
		open = true
		return ""
	})
	if open { // which of the ends is its own is not known
		return strings.ReplaceAll(anchorForm.ReplaceAllString(out, ""), "</a>", "")
	}
	return out
}
