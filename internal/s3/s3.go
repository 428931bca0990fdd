// Package s3 is a client of S3 that can put, get, list and delete: of AWS, or a server
// that is compatible with it. Requests are signed by Signature Version 4.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/sha"
)

// Config says which bucket, and who asks.
type Config struct {
	// To is s3://BUCKET/PREFIX.
	To string
	// Endpoint and Region are "" for what the environment says, else AWS and us-east-1.
	Endpoint, Region string
	// KeyEnv and SecretEnv name the variables that hold the key and its secret; "" is
	// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
	KeyEnv, SecretEnv string
	Getenv            func(string) string
}

// Bucket is what lies below a prefix of a bucket. A name is there whole or not at all.
type Bucket struct {
	endpoint     *url.URL
	name, prefix string // the prefix ends with a slash, or is empty
	region       string
	who          credentials
	client       *http.Client
	now          func() time.Time
}

// maxObject bounds what is read of one object, in bytes.
const maxObject = 64 << 20

// Open gives the bucket that a config names. Nothing is asked of it yet.
func Open(c Config) (*Bucket, error) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(c.To, "s3://"), "/")
	if name == "" || strings.ContainsAny(name, "@:?#%") {
		return nil, diag.Usagef("s3://BUCKET/PREFIX; credentials come from the environment", "%q names no bucket", c.To)
	}
	region := cmp.Or(c.Region, c.Getenv("AWS_REGION"), c.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	endpoint, err := url.Parse(cmp.Or(c.Endpoint, c.Getenv("AWS_ENDPOINT_URL_S3"), c.Getenv("AWS_ENDPOINT_URL"), "https://s3."+region+".amazonaws.com"))
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" || endpoint.User != nil {
		return nil, diag.Usagef("an https URL", "the endpoint of the bucket %s is no address", name)
	}
	key, secret := cmp.Or(c.KeyEnv, "AWS_ACCESS_KEY_ID"), cmp.Or(c.SecretEnv, "AWS_SECRET_ACCESS_KEY")
	who := credentials{c.Getenv(key), c.Getenv(secret), c.Getenv("AWS_SESSION_TOKEN")}
	if c.KeyEnv != "" {
		who.session = "" // it belongs to the other key
	}
	if who.key == "" || who.secret == "" {
		return nil, diag.Usagef("set "+key+" and "+secret, "there are no credentials for the bucket %s", name)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &Bucket{endpoint: endpoint, name: name, prefix: prefix, region: region, who: who,
		client: &http.Client{Timeout: 2 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, now: time.Now}, nil
}

// String names the bucket to people, without anything secret.
func (b *Bucket) String() string {
	return "s3://" + b.name + "/" + b.prefix + " at " + b.endpoint.Host
}

// Put makes data what a name stands for.
func (b *Bucket) Put(ctx context.Context, name string, data []byte) error {
	return b.PutAs(ctx, name, "", data)
}

// PutAs is Put of what readers get by HTTP, as a type of content.
func (b *Bucket) PutAs(ctx context.Context, name, kind string, data []byte) error {
	_, err := b.ask(ctx, http.MethodPut, name, kind, nil, data)
	return err
}

// Get is [fs.ErrNotExist] for a name that is not there.
func (b *Bucket) Get(ctx context.Context, name string) ([]byte, error) {
	return b.ask(ctx, http.MethodGet, name, "", nil, nil)
}

// Delete takes a name away.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	_, err := b.ask(ctx, http.MethodDelete, name, "", nil, nil)
	return err
}

// List gives the last elements of the names directly below a directory.
func (b *Bucket) List(ctx context.Context, dir string) ([]string, error) {
	prefix := b.prefix + dir + "/"
	ask := url.Values{"list-type": {"2"}, "prefix": {prefix}, "delimiter": {"/"}}
	var names []string
	for {
		data, err := b.ask(ctx, http.MethodGet, "", "", ask, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Contents       []struct{ Key string }
			CommonPrefixes []struct{ Prefix string }
			Next           string `xml:"NextContinuationToken"`
		}
		if err := xml.Unmarshal(data, &page); err != nil {
			return nil, fmt.Errorf("%s: it lists what is no XML: %w", b, err)
		}
		for _, o := range page.Contents {
			names = append(names, strings.TrimPrefix(o.Key, prefix))
		}
		for _, p := range page.CommonPrefixes {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(p.Prefix, prefix), "/"))
		}
		if page.Next == "" {
			return names, nil
		}
		ask.Set("continuation-token", page.Next)
	}
}

// ask makes a request, again where the server is busy or not there for a moment.
func (b *Bucket) ask(ctx context.Context, method, name, kind string, ask url.Values, body []byte) ([]byte, error) {
	for wait := 200 * time.Millisecond; ; wait *= 3 {
		data, again, err := b.try(ctx, method, name, kind, ask, body)
		if err == nil || !again || wait > 4*time.Second {
			return data, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func (b *Bucket) try(ctx context.Context, method, name, kind string, ask url.Values, body []byte) (data []byte, again bool, err error) {
	u := *b.endpoint
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + b.name
	if name != "" {
		u.Path += "/" + b.prefix + name
	}
	u.RawPath = escapedPath(&u)
	u.RawQuery = query(&url.URL{RawQuery: ask.Encode()})
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	digest := sha.Hex(body)
	req.Header.Set("X-Amz-Content-Sha256", digest)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	sign(req, digest, b.who, scope{b.region, "s3"}, b.now())
	reply, err := b.client.Do(req)
	if err != nil {
		return nil, ctx.Err() == nil, fmt.Errorf("%s: %w", b, bare(err))
	}
	defer reply.Body.Close()
	if data, err = io.ReadAll(io.LimitReader(reply.Body, maxObject+1)); err != nil {
		return nil, true, fmt.Errorf("%s: %w", b, err)
	}
	switch {
	case len(data) > maxObject:
		return nil, false, fmt.Errorf("%s: %s has more than %d bytes", b, name, maxObject)
	case reply.StatusCode == http.StatusNotFound && method != http.MethodPut && name != "":
		return nil, false, fmt.Errorf("%s: %s: %w", b, name, fs.ErrNotExist)
	case reply.StatusCode/100 == 2:
		return data, false, nil
	}
	return nil, reply.StatusCode >= 500 || reply.StatusCode == http.StatusTooManyRequests, b.refused(reply, data)
}

// bare is an error of a request without its address, which says nothing more.
func bare(err error) error {
	if u, ok := err.(*url.Error); ok {
		return u.Err
	}
	return err
}

// refused is what the server says of a request that it did not do. The rest of its
// answer can repeat what was signed, and is not shown.
func (b *Bucket) refused(reply *http.Response, data []byte) error {
	var said struct{ Code, Message string }
	_ = xml.Unmarshal(data, &said) // what is no XML says nothing
	hint := ""
	switch said.Code {
	case "NoSuchBucket":
		hint = "make the bucket, or name another one"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied":
		hint = "look at the key, its secret, the region and what the key may do"
	case "PermanentRedirect", "AuthorizationHeaderMalformed":
		hint = "look at the region"
	}
	return diag.Failedf(hint, "%s: %s %.60s %.200s", b, reply.Status, said.Code, said.Message)
}
