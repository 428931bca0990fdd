package tools

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"wb/agent"
	"wb/sandbox/netbroker"
)

// ImageProvider is an HTTP endpoint that draws: it takes {prompt, model, n} as
// JSON and answers with a picture, or with JSON that has one in
// data[0].b64_json.
type ImageProvider struct {
	URL, Model, Key string
	Web             Getter
}

// imagesPerRun is how many pictures a run may ask for.
const imagesPerRun = 2

// errImages is the tool result when the run's image budget is exhausted.
var errImages = fmt.Errorf("image budget exhausted (%d/run) — plan banners, don't spray", imagesPerRun)

// image counts attempts, so that a failed one costs as much as a good one.
type image struct {
	tool
	mu       sync.Mutex
	attempts int
}

// Recorded counts an attempt that the journal has.
func (i *image) Recorded() { i.attempt() }

// attempt takes one of the run's pictures.
func (i *image) attempt() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.attempts++
	return i.attempts <= imagesPerRun
}

// Image draws a picture into the working directory through a provider. Without
// one it says so to the model.
func Image(tree *agent.Tree, provider *ImageProvider) agent.Tool {
	i := &image{tool: tool{name: "image", description: "Draw a picture and save it in the working directory; at most two a run.",
		schema: object("prompt string what to draw", "dest string where to save it, relative to the working directory")}}
	i.call = func(ctx context.Context, args agent.Args) (agent.Output, error) {
		if provider == nil {
			return agent.Output{}, errors.New("image has no provider ([image] url in wb.toml, or WB_IMAGE_URL); carry on without pictures")
		}
		if err := tree.Writable(args.Text("dest")); err != nil {
			return agent.Output{}, err
		}
		if !i.attempt() {
			return agent.Output{}, errImages
		}
		body, _ := json.Marshal(map[string]any{"prompt": args.Text("prompt"), "model": provider.Model, "n": 1, "response_format": "b64_json"})
		header := http.Header{"Content-Type": {"application/json"}, "Accept": {"image/*, application/json"}, "Idempotency-Key": {agent.CallKey(ctx)}}
		if provider.Key != "" {
			header.Set("Authorization", "Bearer "+provider.Key)
		}
		reply, err := provider.Web.Do(ctx, netbroker.Request{Method: http.MethodPost, URL: provider.URL, Header: header, Body: body})
		if err != nil {
			return agent.Output{}, fmt.Errorf("image error: %w", err)
		}
		out := agent.Output{BytesOut: int64(len(body))}
		if reply.Status != http.StatusOK {
			return out, fmt.Errorf("image failed: HTTP %d", reply.Status)
		}
		picture, err := pictureIn(reply)
		if err != nil {
			return out, fmt.Errorf("image error: %w", err)
		}
		if err := tree.Write(args.Text("dest"), picture); err != nil {
			return out, err
		}
		out.Text = fmt.Sprintf("drew %s (%d bytes)", args.Text("dest"), len(picture))
		out.Artifacts = []agent.Artifact{{Kind: "image", Path: args.Text("dest")}}
		return changed(ctx, tree, out)
	}
	return i
}

// pictureIn is the picture of a reply.
func pictureIn(reply *netbroker.Reply) ([]byte, error) {
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "image/") {
		return reply.Body, nil
	}
	var answer struct {
		Data []struct {
			B64 string `json:"b64_json"`
		} `json:"data"`
	}
	if err := json.Unmarshal(reply.Body, &answer); err != nil || len(answer.Data) == 0 || answer.Data[0].B64 == "" {
		return nil, errors.New("the provider's answer holds no picture")
	}
	return base64.StdEncoding.DecodeString(answer.Data[0].B64)
}
