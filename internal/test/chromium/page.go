package chromium

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Page is one tab.
type Page struct {
	t       testing.TB
	browser *Browser
	session string

	// Guarded by browser.mu.

	requests []string
	troubles []string
	loaded   int
}

// Open opens a tab on a URL and waits until it is loaded.
func (b *Browser) Open(t testing.TB, url string) *Page {
	t.Helper()
	p := &Page{t: t, browser: b}
	created := get[struct{ TargetID string }](p, "Target.createTarget", map[string]any{"url": "about:blank"})
	attached := get[struct{ SessionID string }](p, "Target.attachToTarget", map[string]any{"targetId": created.TargetID, "flatten": true})
	b.mu.Lock()
	b.pages[attached.SessionID] = p
	b.mu.Unlock()
	p.session = attached.SessionID
	t.Cleanup(func() {
		_, _ = b.call("", "Target.closeTarget", map[string]any{"targetId": created.TargetID}) // or the browser is gone
	})
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		p.Do(domain+".enable", nil)
	}
	p.Navigate(url)
	return p
}

// get sends a command and reads its answer.
func get[T any](p *Page, method string, params any) T {
	p.t.Helper()
	var out T
	result, err := p.browser.call(p.session, method, params)
	if err == nil {
		err = json.Unmarshal(result, &out)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	return out
}

// Do sends a command of the DevTools protocol.
func (p *Page) Do(method string, params any) json.RawMessage {
	p.t.Helper()
	return get[json.RawMessage](p, method, params)
}

// note remembers an event; the browser's lock is held.
func (p *Page) note(method string, params json.RawMessage) {
	var e struct {
		Request struct{ URL string }
		Entry   struct{ Level, Text, Source, URL string }
		Type    string
		Args    []struct {
			Value       any
			Description string
		}
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	switch method {
	case "Network.requestWillBeSent":
		if !strings.HasPrefix(e.Request.URL, "data:") && !strings.HasPrefix(e.Request.URL, "blob:") {
			p.requests = append(p.requests, e.Request.URL)
		}
	case "Log.entryAdded":
		if e.Entry.Level == "error" || e.Entry.Source == "security" {
			p.troubles = append(p.troubles, strings.TrimSpace(e.Entry.Text+" "+e.Entry.URL))
		}
	case "Runtime.exceptionThrown":
		p.troubles = append(p.troubles, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case "Runtime.consoleAPICalled":
		if e.Type == "error" && len(e.Args) > 0 {
			p.troubles = append(p.troubles, fmt.Sprint(e.Args[0].Value, e.Args[0].Description))
		}
	case "Page.loadEventFired":
		p.loaded++
	}
}

// Requests are the URLs the tab has asked for, data and blobs aside, its own
// document first.
func (p *Page) Requests() []string {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return slices.Clone(p.requests)
}

// Troubles are the errors in the tab: exceptions, broken policies, what failed
// to load.
func (p *Page) Troubles() []string {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return slices.Clone(p.troubles)
}

// Navigate goes to a URL and waits until it is loaded.
func (p *Page) Navigate(url string) {
	p.t.Helper()
	p.browser.mu.Lock()
	before := p.loaded
	p.browser.mu.Unlock()
	if to := get[struct{ ErrorText string }](p, "Page.navigate", map[string]any{"url": url}); to.ErrorText != "" {
		p.t.Fatalf("%s: %s", url, to.ErrorText)
	}
	p.until(url+" to load", func() bool {
		p.browser.mu.Lock()
		defer p.browser.mu.Unlock()
		return p.loaded > before
	})
}

// until waits for something to come true.
func (p *Page) until(what string, ok func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(Patience)
	for !ok() {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited %s for %s; the page says: %v", Patience, what, p.Troubles())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Eval evaluates an expression, waits for it when it is a promise, and gives its
// value as JSON does.
func (p *Page) Eval(expression string) any {
	p.t.Helper()
	v, err := p.eval(expression)
	if err != nil {
		p.t.Fatalf("%s: %v", clip(expression), err)
	}
	return v
}

func (p *Page) eval(expression string) (any, error) {
	answer, err := p.browser.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true})
	if err != nil {
		return nil, err
	}
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return nil, err
	}
	if e := r.ExceptionDetails; e != nil {
		return nil, fmt.Errorf("%s %s", e.Text, e.Exception.Description)
	}
	return r.Result.Value, nil
}

func clip(s string) string { return s[:min(len(s), 200)] }

// Text is Eval for expressions that give text.
func (p *Page) Text(expression string) string {
	p.t.Helper()
	s, _ := p.Eval(expression).(string)
	return s
}

// Wait waits until an expression is true. That it cannot be evaluated, because
// the page is just being loaded, is not yet an error.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	p.until(clip(expression), func() bool {
		v, err := p.eval("!!(" + expression + ")")
		return err == nil && v == true
	})
}

// Click clicks the element that a selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// Type puts text into a field, as if it had been typed.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf(`{ const f = document.querySelector(%q); f.focus(); f.value = %s; f.dispatchEvent(new Event("input", {bubbles: true})); }`, selector, quote(text)))
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil { // strings always marshal
		return `""`
	}
	return string(b)
}

// Key presses a key, such as Tab or Enter.
func (p *Page) Key(key string) {
	p.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40}
	event := map[string]any{"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if key == "Enter" {
		event["text"] = "\r"
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		event["type"] = kind
		p.Do("Input.dispatchKeyEvent", event)
	}
}

// View is how a page is looked at.
type View struct {
	Width, Height int
	Dark          bool
	Print         bool
	Still         bool // prefers-reduced-motion
}

// Look sets size and media.
func (p *Page) Look(v View) {
	p.t.Helper()
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width, "height": max(v.Height, 1), "deviceScaleFactor": 1, "mobile": v.Width < 600})
	scheme, motion, media := "light", "no-preference", ""
	if v.Dark {
		scheme = "dark"
	}
	if v.Still {
		motion = "reduce"
	}
	if v.Print {
		media = "print"
	}
	p.Do("Emulation.setEmulatedMedia", map[string]any{"media": media, "features": []any{
		map[string]any{"name": "prefers-color-scheme", "value": scheme}, map[string]any{"name": "prefers-reduced-motion", "value": motion}}})
}

// Screenshot is the whole page as PNG, at most height pixels of it from the top
// on (0 is all of it).
func (p *Page) Screenshot(height int) []byte {
	p.t.Helper()
	size := get[struct {
		CSSContentSize struct{ Width, Height float64 }
	}](p, "Page.getLayoutMetrics", nil).CSSContentSize
	if height > 0 {
		size.Height = min(size.Height, float64(height))
	}
	shot := get[struct{ Data string }](p, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": size.Width, "height": size.Height, "scale": 1}})
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}
