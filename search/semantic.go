package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/internal/sha"
	"wb/org/oql"

	openai "github.com/sashabaranov/go-openai"
)

// Embedder turns texts into vectors by an endpoint that speaks OpenAI's
// protocol: one on this machine, or a service.
type Embedder struct {
	client     *openai.Client
	model      string
	dimensions int
}

// NoEmbedderError says that vectors were asked for and nothing makes any.
type NoEmbedderError struct{}

func (NoEmbedderError) Error() string { return "no embedding endpoint is configured" }

// Hint names the variables.
func (NoEmbedderError) Hint() string {
	return "set WB_EMBED_BASE_URL (an OpenAI-compatible endpoint), WB_EMBED_MODEL and, where it needs one, WB_EMBED_API_KEY"
}

// ExitCode is that of a service that is not available.
func (NoEmbedderError) ExitCode() int { return diag.ExitUnavailable }

// EmbedderFromEnv is the embedder of WB_EMBED_BASE_URL, WB_EMBED_MODEL,
// WB_EMBED_API_KEY and WB_EMBED_DIMENSIONS; nil when there is no URL or model.
func EmbedderFromEnv(getenv func(string) string) *Embedder {
	url, model := getenv("WB_EMBED_BASE_URL"), getenv("WB_EMBED_MODEL")
	if url == "" || model == "" {
		return nil
	}
	config := openai.DefaultConfig(getenv("WB_EMBED_API_KEY"))
	config.BaseURL = strings.TrimSuffix(url, "/")
	dimensions, _ := strconv.Atoi(getenv("WB_EMBED_DIMENSIONS")) // 0 is the model's own
	return &Embedder{openai.NewClientWithConfig(config), model, dimensions}
}

// embedBatch is how many texts are sent at once, embedChars how much of each.
const (
	embedBatch = 64
	embedChars = 6000
)

// key names the vector of a text in the cache: what it was made of and by.
func (e *Embedder) key(text string) string {
	return sha.Hex(e.model + "\x00" + strconv.Itoa(e.dimensions) + "\x00" + text)
}

// embed asks the endpoint; vectors come back with length 1.
func (e *Embedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	answer, err := e.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(e.model), Dimensions: e.dimensions})
	if err != nil {
		return nil, &EmbedError{err}
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) {
			return nil, &EmbedError{fmt.Errorf("vector for text %d of %d", d.Index, len(texts))}
		}
		vectors[d.Index] = unit(d.Embedding)
	}
	for i, v := range vectors {
		if len(v) == 0 {
			return nil, &EmbedError{fmt.Errorf("no vector for text %d of %d", i, len(texts))}
		}
	}
	return vectors, nil
}

// EmbedError is an endpoint that did not answer as it should.
type EmbedError struct{ Err error }

func (e *EmbedError) Error() string { return "embedding endpoint: " + e.Err.Error() }
func (e *EmbedError) Unwrap() error { return e.Err }

// ExitCode is that of a service that is not available.
func (e *EmbedError) ExitCode() int { return diag.ExitUnavailable }

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

func dot(a, b []float32) float64 {
	var sum float32
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return float64(sum)
}

// rrf is the constant of reciprocal rank fusion: how much less the first ranks
// differ from the later ones.
const rrf = 60

// fuse merges a list with that of the documents nearest to the query in the
// space of an embedding, by reciprocal rank.
func (x *Index) fuse(ctx context.Context, q *Query, list []scored, opts Options) ([]scored, error) {
	if x.config.Embedder == nil {
		return nil, NoEmbedderError{}
	}
	near, err := x.nearest(ctx, q, opts)
	if err != nil {
		return nil, err
	}
	return fuseRanks(list, near), nil
}

// nearness is the weight of a place among the nearest vectors beside the same place
// among the words: a heading that has the words has something to show for it, and a
// weak embedding must not bury it.
const nearness = 0.8

// fuseRanks merges the ranking by words with that by vectors.
func fuseRanks(words, near []scored) []scored {
	all := map[ID]scored{}
	for i, list := range [][]scored{words, near} {
		weight := []float64{1, nearness}[i]
		for rank, d := range list {
			sum := all[d.ID].score
			d.score = sum + weight/float64(rrf+rank+1)
			all[d.ID] = d
		}
	}
	fused := make([]scored, 0, len(all))
	for _, d := range all {
		fused = append(fused, d)
	}
	sortScored(fused)
	return fused
}

// nearest are the documents whose vectors are nearest to the query's. Vectors
// that are not in the cache are asked for.
func (x *Index) nearest(ctx context.Context, q *Query, opts Options) ([]scored, error) {
	documents, err := x.all(ctx, opts.Allowed)
	if err != nil || len(documents) == 0 || q.Text == "" {
		return nil, err
	}
	vectors, err := x.vectors(ctx, documents)
	if err != nil {
		return nil, err
	}
	asked, err := x.config.Embedder.embed(ctx, []string{q.Text})
	if err != nil {
		return nil, err
	}
	for i := range documents {
		documents[i].score = dot(asked[0], vectors[i])
	}
	slices.SortStableFunc(documents, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return documents[:min(len(documents), candidates)], nil
}

// all are the documents searched, in order of path and line.
func (x *Index) all(ctx context.Context, allowed map[oql.Place]bool) ([]scored, error) {
	scores := map[ID]float64{}
	for file := range x.files {
		lines, err := x.store.Lines(ctx, file)
		if err != nil {
			return nil, err
		}
		for _, id := range lines {
			scores[id] = 0
		}
	}
	if err := x.restrict(ctx, scores, allowed); err != nil {
		return nil, err
	}
	return x.ranked(ctx, scores)
}

// vectors are those of documents, from the cache or the endpoint.
func (x *Index) vectors(ctx context.Context, documents []scored) ([][]float32, error) {
	vectors := make([][]float32, len(documents))
	var missing []int
	texts := make([]string, len(documents))
	files := sources{}
	for i, d := range documents {
		texts[i] = embedText(d.Found, files.text(d.Found))
		v, ok, err := x.store.Vector(ctx, x.config.Embedder.key(texts[i]))
		if err != nil {
			return nil, err
		}
		if vectors[i] = v; !ok {
			missing = append(missing, i)
		}
	}
	for batch := range slices.Chunk(missing, embedBatch) {
		asked := make([]string, len(batch))
		for k, i := range batch {
			asked[k] = texts[i]
		}
		got, err := x.config.Embedder.embed(ctx, asked)
		if err != nil {
			return nil, err
		}
		kept := map[string][]float32{}
		for k, i := range batch {
			vectors[i] = got[k]
			kept[x.config.Embedder.key(texts[i])] = got[k]
		}
		if err := x.store.SetVectors(ctx, kept); err != nil {
			x.config.Warn(fmt.Errorf("vectors are not kept: %w", err))
		}
	}
	return vectors, nil
}

// embedText is the text that a document's vector is made of.
func embedText(d Found, text string) string {
	text = strings.Join(append(slices.Clip(d.Outline), d.Title), " / ") + "\n" + text
	if len(text) > embedChars {
		text = strings.ToValidUTF8(text[:embedChars], "")
	}
	return text
}
