package broker

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"wb/sandbox/dock"
)

// Serve lets a guest answer HTTP requests: the host listens and reads, the guest
// takes one request after the other and answers it. A component that serves is a
// loop that ends when there is none any more:
//
//	serve.listen("8080")
//	while (request = serve.next()) serve.reply(request.id, "hello " + request.path)
//
// The host is known by address or as localhost alone, so that no name of the
// net can be made to lead a browser here, and pages of the net may not ask.
func Serve(config ServeConfig) dock.Broker {
	s := &httpServer{inbox: newInbox[httpRequest, httpAnswer](config)}
	return lasting{operations{"listen": s.listen, "next": s.next, "reply": s.reply, "close": s.close}, s.inbox.close}
}

type httpServer struct {
	*inbox[httpRequest, httpAnswer]
}

// httpRequest is a request as the guest reads it.
type httpRequest struct {
	ID      string            `json:"id"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   string            `json:"query,omitempty"`
	Headers map[string]string `json:"headers"`
	body
}

// body is text where it is UTF-8.
type body struct {
	Text   *string `json:"text,omitempty"`
	Base64 string  `json:"base64,omitempty"`
}

func bodyOf(data []byte) body {
	if !utf8.Valid(data) {
		return body{Base64: base64.StdEncoding.EncodeToString(data)}
	}
	text := string(data)
	return body{Text: &text}
}

// httpAnswer is the guest's answer.
type httpAnswer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	body    []byte
}

func (s *httpServer) listen(_ context.Context, call *dock.Call) (dock.Reply, error) {
	var o listenOptions
	if err := optionsOf(call, 1, &o, "{requests, seconds}"); err != nil {
		return dock.Reply{}, err
	}
	listener, err := s.inbox.listen(call, o)
	if err != nil {
		return dock.Reply{}, err
	}
	limits, over := s.config.Limits, s.over
	server := &http.Server{Handler: http.HandlerFunc(s.handle), ErrorLog: log.New(io.Discard, "", 0),
		ReadHeaderTimeout: limits.Slow, ReadTimeout: limits.Slow, IdleTimeout: limits.Slow,
		WriteTimeout: limits.Slow + limits.Answer, MaxHeaderBytes: limits.Header,
		BaseContext: func(net.Listener) context.Context { return over }}
	go func() { _ = server.Serve(listener) }() // ends with Close
	context.AfterFunc(over, func() { s.shut(server) })
	address := listener.Addr().String()
	return answer(call, map[string]string{"address": address, "url": "http://" + address + "/"}, nil)
}

// shut lets those requests end that were answered, and hangs up on the others.
func (s *httpServer) shut(server *http.Server) {
	patience, cancel := context.WithTimeout(context.Background(), s.config.Limits.Slow)
	defer cancel()
	_ = server.Shutdown(patience)
	_ = server.Close()
}

// handle passes a request on to the guest.
func (s *httpServer) handle(w http.ResponseWriter, r *http.Request) {
	if !ownHost(r.Host) {
		http.Error(w, "this server has no name", http.StatusMisdirectedRequest)
		return
	}
	if crossSite(r) {
		http.Error(w, "a page of another site may not use this server", http.StatusForbidden)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.Limits.Body))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		}
		return
	}
	request := httpRequest{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Headers: map[string]string{}, body: bodyOf(data)}
	for name, values := range r.Header {
		request.Headers[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	err = s.ask(r.Context(), r.RemoteAddr, request, func(reply httpAnswer) { reply.write(w) })
	switch {
	case errors.Is(err, errRate):
		w.Header().Set("Retry-After", "60")
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	case errors.Is(err, errSlow):
		http.Error(w, err.Error(), http.StatusGatewayTimeout)
	case err != nil:
		w.Header().Set("Connection", "close")
		http.Error(w, "unavailable", http.StatusServiceUnavailable)
	}
}

// ownHost reports whether the header Host names a machine by its address or as
// localhost, as who serves to this machine alone is reached.
func ownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

// crossSite reports whether a browser asks on behalf of a page of the net: it
// could be made to ask anything of a port on its own machine.
func crossSite(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !ownHost(u.Host)
}

// hopHeaders belong to the connection, which is the host's.
var hopHeaders = []string{"connection", "content-length", "date", "keep-alive", "proxy-authenticate", "te", "trailer", "transfer-encoding", "upgrade"}

func (a httpAnswer) write(w http.ResponseWriter) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for name, value := range a.Headers {
		if !slices.Contains(hopHeaders, strings.ToLower(name)) {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.body) // the client may be gone
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *httpServer) next(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	return s.inbox.hand(ctx, call, func(request *httpRequest, id string) { request.ID = id })
}

func (s *httpServer) reply(_ context.Context, call *dock.Call) (dock.Reply, error) {
	a := httpAnswer{Status: http.StatusOK, body: slices.Clone(call.Args[1])}
	if err := optionsOf(call, 2, &a, "{status, headers}"); err != nil {
		return dock.Reply{}, err
	}
	if a.Status < 200 || a.Status > 599 {
		return dock.Reply{}, dock.Errorf(dock.CodeInvalid, "serve.reply: status %d is not between 200 and 599", a.Status)
	}
	for name, value := range a.Headers {
		if !headerName(name) || strings.ContainsAny(value, "\r\n\x00") {
			return dock.Reply{}, dock.Errorf(dock.CodeInvalid, "serve.reply: %.40q is not a header", name)
		}
	}
	return s.inbox.reply(call, a)
}

// headerName reports whether a text is a token, as header names are.
func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

func (s *httpServer) close(context.Context, *dock.Call) (dock.Reply, error) {
	s.inbox.close()
	return dock.Found(nil), nil
}
