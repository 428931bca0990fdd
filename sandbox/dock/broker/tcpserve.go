package broker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"wb/sandbox/dock"
)

// TCPServe lets a guest answer TCP clients: each sends one request, which ends
// where it stops sending or with the text until, and gets one answer.
func TCPServe(config ServeConfig) dock.Broker {
	s := &tcpServer{inbox: newInbox[tcpRequest, []byte](config)}
	return lasting{operations{"listen": s.listen, "next": s.next, "reply": s.reply, "close": s.close}, s.inbox.close}
}

type tcpServer struct {
	*inbox[tcpRequest, []byte]
}

// tcpRequest is a client's data, as the guest reads it.
type tcpRequest struct {
	ID string `json:"id"`
	body
}

func (s *tcpServer) listen(_ context.Context, call *dock.Call) (dock.Reply, error) {
	var o listenOptions
	if err := optionsOf(call, 1, &o, "{requests, seconds, until}"); err != nil {
		return dock.Reply{}, err
	}
	listener, err := s.inbox.listen(call, o)
	if err != nil {
		return dock.Reply{}, err
	}
	over := s.over
	context.AfterFunc(over, func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go s.handle(over, conn, []byte(o.Until))
		}
	}()
	return answer(call, map[string]string{"address": listener.Addr().String()}, nil)
}

// handle reads what a client sends, asks the guest and answers. A client that
// sends too much, too slowly or too often is hung up on.
func (s *tcpServer) handle(over context.Context, conn net.Conn, until []byte) {
	defer conn.Close()
	request, err := s.read(over, conn, until)
	if err != nil {
		return
	}
	_ = s.ask(over, conn.RemoteAddr().String(), tcpRequest{body: bodyOf(request)}, func(reply []byte) {
		if conn.SetWriteDeadline(time.Now().Add(s.config.Limits.Slow)) == nil {
			_, _ = conn.Write(reply) // the client may be gone
		}
	})
}

// read reads a request.
func (s *tcpServer) read(over context.Context, conn net.Conn, until []byte) ([]byte, error) {
	defer context.AfterFunc(over, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	if err := conn.SetReadDeadline(time.Now().Add(s.config.Limits.Slow)); err != nil {
		return nil, err
	}
	var request []byte
	buffer := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buffer)
		seen := max(0, len(request)-len(until)+1)
		request = append(request, buffer[:n]...)
		if int64(len(request)) > s.config.Limits.Body {
			return nil, errors.New("too large")
		}
		if len(until) > 0 {
			if i := bytes.Index(request[seen:], until); i >= 0 {
				return request[:seen+i+len(until)], nil
			}
		}
		switch {
		case err == io.EOF:
			return request, nil
		case err != nil:
			return nil, err
		}
	}
}

func (s *tcpServer) next(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	return s.inbox.hand(ctx, call, func(request *tcpRequest, id string) { request.ID = id })
}

func (s *tcpServer) reply(_ context.Context, call *dock.Call) (dock.Reply, error) {
	return s.inbox.reply(call, slices.Clone(call.Args[1]))
}

func (s *tcpServer) close(context.Context, *dock.Call) (dock.Reply, error) {
	s.inbox.close()
	return dock.Found(nil), nil
}
