package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"wb/internal/clip"

	"github.com/coder/websocket"
)

// stream follows a run: over a WebSocket when the request asks for one, else as
// server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	after, err := position(r)
	if err != nil {
		fail(w, http.StatusBadRequest, "bad_request", err.Error())
		return
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		s.overWebSocket(w, r, found, after)
		return
	}
	s.asEvents(w, r, found, after)
}

// position is the last frame that a reader has seen.
func position(r *http.Request) (int, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a position in a stream", clip.Chars(text, 32))
	}
	return n, nil
}

// reader is one that follows a run.
type reader interface {
	// frame writes a frame, and returns an error when the reader has gone or has
	// taken nothing for too long.
	frame(Frame) error
	// beat shows that the connection stands.
	beat() error
}

// follow tells a reader the run's log after a position, as far as it goes, and
// the model's words where it keeps up. It returns nil when the run is over.
func (s *Server) follow(ctx context.Context, r *run, after int, to reader) error {
	h, deaf := r.hear()
	defer deaf()
	rec := r.snapshot()
	if err := to.frame(Frame{Type: "subscribed", Run: rec.ID, Status: rec.Status}); err != nil {
		return err
	}
	ended := !rec.Ended.IsZero()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		frames, more, over := r.since(after)
		if len(frames) > 0 || over {
			if err := words(r, h, to, nil); err != nil { // what was said before
				return err
			}
		}
		for _, f := range frames {
			if err := to.frame(f); err != nil {
				return err
			}
			after = f.N
			ended = ended || f.last()
		}
		if over && len(frames) == 0 {
			if !ended {
				return errShutdown
			}
			return nil
		}
		if len(frames) > 0 {
			continue
		}
		var err error
		select {
		case text := <-h.words:
			err = words(r, h, to, []string{text})
		case <-more:
		case <-beat.C:
			err = to.beat()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// words tells what has been said by now, in one frame.
func words(r *run, h *hearer, to reader, said []string) error {
	for {
		select {
		case text := <-h.words:
			said = append(said, text)
			continue
		default:
		}
		break
	}
	lost := r.lost(h)
	if len(said) == 0 && lost == 0 {
		return nil
	}
	return to.frame(Frame{Type: "delta", Text: strings.Join(said, ""), Lost: lost})
}

// asEvents streams server-sent events. A browser comes back by itself when a
// stream ends; a 204 tells it that there is no more.
func (s *Server) asEvents(w http.ResponseWriter, r *http.Request, found *run, after int) {
	if frames, _, over := found.since(after); over && after > 0 && len(frames) == 0 && !found.snapshot().Ended.IsZero() {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	e := &eventWriter{w, http.NewResponseController(w)}
	if err := e.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	_ = s.follow(r.Context(), found, after, e) // the reader sees the end, or has gone
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (e *eventWriter) frame(f Frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if f.N > 0 {
		fmt.Fprintf(&b, "id: %d\n", f.N)
	}
	// "error" is the name of what a browser's EventSource tells by itself
	name := f.Type
	if name == "error" {
		name = "failed"
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, text)
	return e.write(b.Bytes())
}

func (e *eventWriter) beat() error { return e.write([]byte(": \n\n")) }

func (e *eventWriter) write(text []byte) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}

// overWebSocket sends a frame as a text message each, and closes normally after
// the last.
func (s *Server) overWebSocket(w http.ResponseWriter, r *http.Request, found *run, after int) {
	conn, err := websocket.Accept(w, r, nil) // refuses pages of other origins
	if err != nil {
		return
	}
	defer conn.CloseNow()
	ctx := conn.CloseRead(r.Context())
	switch err := s.follow(ctx, found, after, &socketWriter{ctx, conn}); {
	case err == nil:
		_ = conn.Close(websocket.StatusNormalClosure, "the run has ended")
	case errors.Is(err, errShutdown):
		_ = conn.Close(websocket.StatusGoingAway, err.Error())
	}
}

// socketWriter writes frames to a WebSocket.
type socketWriter struct {
	ctx  context.Context
	conn *websocket.Conn
}

func (s *socketWriter) frame(f Frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}

func (s *socketWriter) beat() error {
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	return s.conn.Ping(ctx)
}
