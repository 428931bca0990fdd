package sandbox

import (
	"context"
	"net/http"
)

// HTTP makes a request for a component that asks by wasi:http. It does not follow
// redirects. An error that is [io/fs.ErrPermission] says that the request was not
// allowed, one that is [context.DeadlineExceeded] that it took too long. It is called by
// several goroutines at once, and returns soon after ctx has ended.
type HTTP func(ctx context.Context, request HTTPRequest) (HTTPReply, error)

// HTTPRequest is a request of a guest, as the guest wrote it: nothing of it was checked.
type HTTPRequest struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// HTTPReply is the answer, whatever its status.
type HTTPReply struct {
	Status int
	Header http.Header
	Body   []byte
}
