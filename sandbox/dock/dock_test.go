package dock

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// echo answers with its last argument.
var echo = BrokerFunc(func(_ context.Context, call *Call) (Reply, error) {
	if len(call.Args) == 0 {
		return Reply{}, nil
	}
	return Found(call.Args[len(call.Args)-1]), nil
})

func brokers(b Broker) map[string]Broker {
	all := map[string]Broker{}
	for _, m := range Modules() {
		all[m] = b
	}
	return all
}

func code(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// TestDefaultDeny asks a dock that grants nothing for everything there is.
func TestDefaultDeny(t *testing.T) {
	var denied []Denial
	d := New(Config{Brokers: brokers(echo), Denied: func(d Denial) { denied = append(denied, d) }})
	refused := 0
	for _, op := range Operations() {
		if op.Capability == "" {
			continue
		}
		refused++
		args := make([][]byte, len(op.Params))
		if _, err := d.Call(t.Context(), op.String(), args...); code(err) != CodeDenied {
			t.Errorf("%s: %v", &op, err)
		}
		if last := denied[len(denied)-1]; len(denied) != refused || last.Operation != op.String() || last.Capability != op.Capability {
			t.Errorf("%s: recorded as %+v", &op, last)
		}
	}
	if _, err := d.Call(t.Context(), "secrets.read", []byte("key")); code(err) != CodeNotFound {
		t.Errorf("reading a secret: %v", err)
	}
	if reply, err := d.Call(t.Context(), "session.info"); err != nil || !strings.Contains(string(reply.Body), `"capabilities":[]`) {
		t.Error(string(reply.Body), err)
	}
}

// TestSizes tries each parameter at its limit and one over.
func TestSizes(t *testing.T) {
	d := New(Config{Brokers: brokers(echo), Granted: Capabilities()})
	for _, op := range Operations() {
		for i, p := range op.Params {
			args := make([][]byte, len(op.Params))
			fill := func(n int) {
				args[i] = bytes.Repeat([]byte(" "), n)
				if p.JSON {
					args[i][0] = '1'
				}
			}
			fill(p.most())
			if _, err := d.Call(t.Context(), op.String(), args...); err != nil {
				t.Errorf("%s %s at the limit: %v", &op, p.Name, err)
			}
			fill(p.most() + 1)
			if _, err := d.Call(t.Context(), op.String(), args...); code(err) != CodeLimit {
				t.Errorf("%s %s one over: %v", &op, p.Name, err)
			}
			if p.JSON {
				args[i] = []byte("{")
				if _, err := d.Call(t.Context(), op.String(), args...); code(err) != CodeInvalid {
					t.Errorf("%s %s is not JSON: %v", &op, p.Name, err)
				}
			}
		}
		if _, err := d.Call(t.Context(), op.String(), make([][]byte, len(op.Params)+1)...); op.Module != "session" && code(err) != CodeInvalid {
			t.Errorf("%s with an argument too many: %v", &op, err)
		}
	}
}

func TestReplySize(t *testing.T) {
	size := MaxReply
	d := New(Config{Granted: []string{"kv"}, Brokers: brokers(BrokerFunc(func(context.Context, *Call) (Reply, error) { return Found(make([]byte, size)), nil }))})
	if _, err := d.Call(t.Context(), "kv.get", []byte("k")); err != nil {
		t.Error(err)
	}
	size++
	if _, err := d.Call(t.Context(), "kv.get", []byte("k")); code(err) != CodeLimit {
		t.Error(err)
	}
}

func TestRate(t *testing.T) {
	now := time.Unix(0, 0)
	d := New(Config{Granted: []string{"kv", "queue"}, Brokers: brokers(echo), Rate: Rate{Calls: 3, Per: time.Minute}, Now: func() time.Time { return now }})
	call := func(op string) string {
		_, err := d.Call(t.Context(), op, []byte("k"))
		return code(err)
	}
	for i, want := range []string{"", "", "", CodeLimit, CodeLimit} {
		if got := call("kv.get"); got != want {
			t.Errorf("call %d: %q, want %q", i, got, want)
		}
	}
	if got := call("queue.pop"); got != "" {
		t.Error("another capability:", got)
	}
	now = now.Add(time.Minute - 1)
	if got := call("kv.get"); got != CodeLimit {
		t.Error("within the minute:", got)
	}
	now = now.Add(1)
	if got := call("kv.get"); got != "" {
		t.Error("a minute later:", got)
	}
	if c := d.Counts()["kv"]; c != (Count{Calls: 7, Denied: 3}) {
		t.Errorf("counted %+v", c)
	}
}

// TestRevoked takes a grant back between calls and while one is under way.
func TestRevoked(t *testing.T) {
	var revoked atomic.Bool
	started := make(chan struct{})
	waiting := BrokerFunc(func(ctx context.Context, _ *Call) (Reply, error) {
		close(started)
		<-ctx.Done()
		return Reply{}, ctx.Err()
	})
	d := New(Config{Granted: []string{"net", "kv"}, Brokers: map[string]Broker{"net": waiting, "kv": echo},
		Revoked: func(capability string) bool { return capability == "net" && revoked.Load() }})
	go func() {
		<-started
		revoked.Store(true)
	}()
	if _, err := d.Call(t.Context(), "net.get", []byte("https://a.test/")); code(err) != CodeDenied || !strings.Contains(err.Error(), "while net.get was running") {
		t.Error("under way:", err)
	}
	if _, err := d.Call(t.Context(), "net.get", []byte("https://a.test/")); code(err) != CodeDenied {
		t.Error("afterwards:", err)
	}
	if _, err := d.Call(t.Context(), "kv.get", []byte("k")); err != nil {
		t.Error("another capability:", err)
	}
}

func TestScope(t *testing.T) {
	var scope []string
	d := New(Config{Granted: []string{"secrets:a", "secrets:b-*", "kv:x", "kv"}, Brokers: brokers(BrokerFunc(func(_ context.Context, c *Call) (Reply, error) {
		scope = c.Scope
		if c.Operation.Module == "secrets" && !c.Within(c.Text(0)) {
			return Reply{}, Errorf(CodeDenied, "no")
		}
		return Found(nil), nil
	}))})
	for name, want := range map[string]string{"a": "", "b-1": "", "b-": "", "b": CodeDenied, "aa": CodeDenied, "A": CodeDenied, "*": CodeDenied} {
		if _, err := d.Call(t.Context(), "secrets.public", []byte(name)); code(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Call(t.Context(), "kv.get", []byte("k")); err != nil || scope != nil {
		t.Error("granted narrowly and as a whole:", scope, err)
	}
}

func TestFrames(t *testing.T) {
	d := New(Config{Granted: []string{"kv"}, Brokers: brokers(echo)})
	reply := d.Serve(t.Context(), AppendFrame(nil, "kv.put", []byte("k"), []byte{0, 0xff}))
	if !bytes.Equal(reply, []byte{byte(StatusOK), 0, 0xff}) {
		t.Errorf("reply %q", reply)
	}
	good := AppendFrame(nil, "kv.get", []byte("k"))
	for n := range good { // every frame that is cut off
		if reply := d.Serve(t.Context(), good[:n]); reply[0] != byte(StatusError) {
			t.Errorf("%d bytes: %q", n, reply)
		}
	}
	for _, bad := range [][]byte{append(slices.Clone(good), 0), {0xff, 0xff, 0xff, 0xff}, AppendFrame(nil, "kv.get", make([][]byte, maxArgs+1)...)} {
		reply := d.Serve(t.Context(), bad)
		var e struct{ Error, Code string }
		if err := json.Unmarshal(reply[1:], &e); err != nil || e.Code != CodeInvalid {
			t.Errorf("%q: %q", bad, reply)
		}
	}
}

// TestDevice calls through the file, in one write and byte by byte.
func TestDevice(t *testing.T) {
	d := New(Config{Granted: []string{"kv"}, Brokers: brokers(echo)})
	tree := d.Device(t.Context(), nil)
	if list, err := tree.ReadDir("."); err != nil || len(list) != 0 {
		t.Error("the device is listed:", list, err)
	}
	f, err := tree.OpenFile(DeviceName, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	frame := AppendFrame(nil, "kv.put", []byte("k"), []byte("value"))
	data := append(binary.LittleEndian.AppendUint32(nil, uint32(len(frame))), frame...)
	for _, step := range []int{len(data), 1, 3} {
		for part := range slices.Chunk(data, step) {
			if _, err := f.WriteAt(part, 0); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
		if err != nil || string(got) != "\x06\x00\x00\x00\x01value" {
			t.Errorf("%d bytes at a time: %q %v", step, got, err)
		}
	}
	if _, err := f.WriteAt(binary.LittleEndian.AppendUint32(nil, maxFrame+1), 0); err == nil {
		t.Error("a frame that is too long was taken")
	}
	if err := tree.Remove(DeviceName); err == nil {
		t.Error("the device was removed")
	}
	if err := tree.Rename("x", DeviceName); err == nil {
		t.Error("a file was put over the device")
	}
}

// TestGuestTexts finds every operation in what is made for guests.
func TestGuestTexts(t *testing.T) {
	c, py, js := CHeader(), PythonModule(), JavaScriptModule()
	for _, op := range Operations() {
		if !strings.Contains(c, "wb_"+op.Module+"_"+op.Name+"(") {
			t.Errorf("wb.h has no %s", &op)
		}
		for language, text := range map[string]string{"python": py, "javascript": js} {
			if !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), `"module":"`+op.Module+`","name":"`+op.Name+`"`) {
				t.Errorf("%s has no %s", language, &op)
			}
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(AppendFrame(nil, "kv.put", []byte("k"), []byte("v")))
	f.Add(AppendFrame(nil, "session.info"))
	f.Add([]byte{})
	d := New(Config{Granted: Capabilities(), Brokers: brokers(echo)})
	f.Fuzz(func(t *testing.T, frame []byte) {
		reply := d.Serve(t.Context(), frame)
		if len(reply) == 0 || reply[0] > byte(StatusError) {
			t.Errorf("reply %q", reply)
		}
		if operation, args, err := parseFrame(frame); err == nil && !bytes.Equal(AppendFrame(nil, operation, args...), frame) {
			t.Errorf("%q is read as %q %q", frame, operation, args)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	d := New(Config{Granted: []string{"kv"}, Brokers: brokers(echo), Rate: Rate{Calls: 1 << 40, Per: time.Minute}})
	key := []byte("k")
	for b.Loop() {
		if _, err := d.Call(b.Context(), "kv.get", key); err != nil {
			b.Fatal(err)
		}
	}
}
