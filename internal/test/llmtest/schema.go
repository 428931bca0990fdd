package llmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaDigest is the SHA-256 of OpenAI's description of its API that requests are
// judged by. It is not part of this repository: .ci/openai fetches it.
const schemaDigest = "bbfd19abcde0e7412da99378deb2a959ccdd3a812f97c9e35901921e8e973f9a"

// SchemaPath is where the description is looked for.
func SchemaPath() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "wb", "test", "openai-openapi-"+schemaDigest[:12], "openapi.json")
}

// Judge says what of a request OpenAI's schema refuses, "" for nothing. Known is
// false where the description has not been fetched.
func Judge(body []byte) (complaint string, known bool) {
	schema, err := schema()
	if err != nil || schema == nil {
		return "", false
	}
	request, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err.Error(), true
	}
	if err := schema.Validate(request); err != nil {
		return fmt.Sprintf("not as OpenAI's schema has it: %v", err), true
	}
	return "", true
}

// note counts what was judged in the file that WB_OPENAI_JUDGED names, a line a request.
func note(complaint string) {
	path := os.Getenv("WB_OPENAI_JUDGED")
	if path == "" {
		return
	}
	line := "right\n"
	if complaint != "" {
		line = "wrong: " + strings.Join(strings.Fields(complaint), " ") + "\n"
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err == nil {
		_, _ = f.WriteString(line)
		_ = f.Close()
	}
}

// schema compiles that of a chat completion's request, once.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := os.ReadFile(SchemaPath())
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != schemaDigest {
		return nil, fmt.Errorf("%s is another description than the pinned one", SchemaPath())
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	nullable(whole)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", whole); err != nil {
		return nil, err
	}
	return c.Compile("openapi.json#/components/schemas/CreateChatCompletionRequest")
})

// nullable says "nullable: true" the way JSON Schema does: OpenAPI 3.1 dropped the
// word, and the description still has it.
func nullable(node any) {
	switch v := node.(type) {
	case []any:
		for _, e := range v {
			nullable(e)
		}
	case map[string]any:
		for _, e := range v {
			nullable(e)
		}
		if kind, ok := v["type"].(string); ok && v["nullable"] == true {
			v["type"] = []any{kind, "null"}
		}
	}
}
