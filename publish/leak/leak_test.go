package leak

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"wb/proof/bundle"
	"wb/proof/manifest"
)

// join keeps whole tokens out of this file, which scanners of repositories read.
func join(parts ...string) string { return strings.Join(parts, "") }

func TestPatterns(t *testing.T) {
	body := strings.Repeat("MIIEvQIBADANBgkq", 8)
	for what, text := range map[string]string{
		"private key":          "x\n-----BEGIN " + "PRIVATE KEY-----\n" + body,
		"private key, RSA":     "-----BEGIN RSA " + "PRIVATE KEY-----\n" + body,
		"private key, in JSON": `"-----BEGIN ` + `PRIVATE KEY-----\n` + body + `"`,
		"AWS access key":       join("AKIA", "IOSFODNN7ABCDEFG") + "\n",
		"AWS secret key":       "aws_secret_access_key = " + strings.Repeat("aB3/", 10),
		"GitHub token":         join("ghp_", strings.Repeat("a1B2", 9)),
		"GitHub, new":          join("github_pat_", strings.Repeat("a1B2", 9)),
		"OpenAI":               join("sk-", "proj-", strings.Repeat("a1B2", 9)),
		"OpenRouter":           "key: " + join("sk-or-v1-", strings.Repeat("0a1f", 16)),
		"Slack":                join("xoxb-", "1234567890-abcdefghij"),
		"Google":               join("AIza", strings.Repeat("a1B2_", 7)),
		"npm":                  join("npm_", strings.Repeat("a1B2", 9)),
		"JWT":                  join("eyJhbGciOiJIUzI1NiJ9", ".eyJ1c2VyIjoiYWRhIiwiaWF0IjoxNzAwMDAwfQ", ".dBjftJeZ4CVPmB92K27uhbUJU1p1r", "_wW1gFWFOEjXk"),
		"SendGrid":             join("SG", ".ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"),
		"Azure":                "DefaultEndpointsProtocol=https;AccountName=ada;" + join("Account", "Key=", strings.Repeat("aB3/", 21), "aB", "=="),
		"Hugging Face":         join("hf_", strings.Repeat("aBcD", 8), "Ef"),
		"Slack webhook":        "https://" + join("hooks.slack.com", "/services/T01ABCDEF/B01ABCDEF/", strings.Repeat("a1B2", 6)),
		"bearer":               join("curl -H 'Author", "ization: Bearer ", "q7d8f9a0b1c2d3e4f5g6h7'"),
		"Twilio":               join("SK", strings.Repeat("0a1f", 8)),
		"password":             join(`pass`, `word = "tr0ub4dor&3x"`),
		"password, JSON":       join(`{"pass`, `word": "tr0ub4dor&3x"}`),
		"password, env":        join(`export DB_PASS`, `WORD='tr0ub4dor_3x'`),
		"API key":              join(`api_`, `key: "q7d8f9a0b1c2d3e4"`),
		"Stripe":               join("sk_", "live_", strings.Repeat("a1B2", 6)),
		"GitLab":               join("glpat-", strings.Repeat("a1B2", 5)),
		"age":                  join("AGE-SECRET-", "KEY-1", strings.Repeat("QPZRY9X8", 7)),
		"OpenSSH":              "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + body,
		"PGP":                  "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + body,
		"Anthropic":            join("sk-", "ant-api03-", strings.Repeat("a1B2", 9)),
		"Discord":              "https://discord.com" + join("/api/webhooks/", "123456789012345678/", strings.Repeat("a1B2", 17)),
		"Telegram":             join("9876543210", ":AA", strings.Repeat("Hq7_", 8), "x"),
		"PyPI":                 join("pypi-", "AgEIcHlwaS5vcmc", strings.Repeat("a1B2", 14)),
		"DigitalOcean":         join("dop_v1_", strings.Repeat("0a1f", 16)),
		"seed":                 join("WB_SIGNING", "_KEY=", strings.Repeat("a", 43), "="),
		"password in a URL":    "postgres://ada:" + "correcthorse@db.internal/x",
	} {
		found := Scan(manifest.Files{"a.txt": []byte("first\n" + text)}, Rules{})
		if len(found) != 1 || found[0].Line < 2 || found[0].Path != "a.txt" {
			t.Errorf("%s: %v", what, found)
		}
		if got := Scan(manifest.Files{"a.txt": []byte(text)}, Rules{Allow: []string{"a.txt"}}); len(got) > 0 {
			t.Errorf("%s: allowed, yet %v", what, got)
		}
	}
}

// TestHarmless is what documentation and sites hold every day.
func TestHarmless(t *testing.T) {
	for _, text := range []string{
		"AKIAIOSFODNN7EXAMPLE", "sk-your-key-here-00000000000", "export OPENROUTER_API_KEY=sk-…", "ghp_short",
		"-----BEGIN PUBLIC KEY-----\n" + strings.Repeat("MCowBQYD", 10), "the text -----BEGIN PRIVATE KEY----- begins a key",
		"task-management-for-the-2020s-and-beyond", "https://user:password@example.org", "https://example.org/a@b",
		"https://example.org:8080/x", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", "AKIAlowercaselettersX",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		`password = "your-password-1"`, `(setq token "abc")`, `password: "hunter"`, "Authorization: Bearer TOKEN", "the secret: 'there are 12 of them'",
		`$password = "$1"`, "ACID and ACL2 and SKU 0123", `api_key = os.environ["API_KEY_1"]`,
		strings.Repeat("QUtJQUFLSUFBS0lB", 40), "risk-averse-" + strings.Repeat("word-", 6) + "1",
	} {
		if found := Scan(manifest.Files{"a.html": []byte(text)}, Rules{}); len(found) > 0 {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// TestSpellings plants a secret in each of the forms that programs give it.
func TestSpellings(t *testing.T) {
	value := `p&ss "w<rd"/ü+1`
	quoted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	rules := Rules{Secrets: []Secret{{Name: "the secret DB", Value: []byte(value)}, {Name: "short", Value: []byte("abc")}}, Allow: []string{"a"}}
	forms := map[string]string{"plain": value, "json": string(quoted), "html": html.EscapeString(value), "query": url.QueryEscape(value),
		"path": url.PathEscape(value), "hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for before := range 4 {
		for after := range 4 {
			inner := strings.Repeat("x", before) + value + strings.Repeat("y", after)
			forms[fmt.Sprint("base64 ", before, after)] = base64.StdEncoding.EncodeToString([]byte(inner))
			forms[fmt.Sprint("base64url ", before, after)] = base64.RawURLEncoding.EncodeToString([]byte(inner))
		}
	}
	for form, text := range forms {
		found := Scan(manifest.Files{"a": []byte("one\ntwo " + text + " three abc")}, rules)
		if len(found) != 1 || found[0].Line != 2 || !strings.Contains(found[0].What, "the secret DB") || strings.Contains(found[0].What, value) {
			t.Errorf("%s: %v", form, found)
		}
	}
}

func TestKept(t *testing.T) {
	for name, kept := range map[string]bool{
		"index.html": false, ".well-known/did.json": false, ".well-known/wb-log/tile/0/000": false, ".nojekyll": false, "CNAME": false,
		"a/.git/config": true, ".env": true, "events.org": true, "x/_steps.jsonl": true, "_ledger.json": true, "wb.toml": true,
		".wb/index": true, "vfs.sqlite": true, "vfs.sqlite-wal": true, "default.ed25519": true, ".well-known/.env": true, "run/journal.jsonl": true,
		"Approvals.org": true, ".well-known/events.org": true,
	} {
		if Kept(name) != kept {
			t.Errorf("%s: kept %v", name, !kept)
		}
		if found := Scan(manifest.Files{name: nil}, Rules{Allow: []string{name}}); (len(found) > 0) != kept {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestInside looks into bundles, by themselves and in pages.
func TestInside(t *testing.T) {
	zip, err := bundle.Pack(manifest.Files{"a.org": []byte("one\n" + join("ghp_", strings.Repeat("a1B2", 9))), "sub/events.org": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	files := manifest.Files{"b.wbundle": zip, "p.html": bundle.Embed([]byte("<body></body>"), zip)}
	var got []string
	for _, f := range Scan(files, Rules{}) {
		got = append(got, f.String())
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"b.wbundle!/a.org:2: looks like a GitHub token", "b.wbundle!/sub/events.org: never", "p.html!/a.org:2: looks", "p.html!/sub/events.org: never"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("ghp_aaaaaaaaaaaa"), []byte("hunter22"))
	f.Add([]byte("PK\x03\x04"), []byte("://a:b@c"))
	f.Fuzz(func(t *testing.T, data, secret []byte) {
		rules := Rules{Secrets: []Secret{{Name: "s", Value: secret}}}
		Scan(manifest.Files{"a.html": data}, rules)
		if len(secret) >= minSecret && len(Scan(manifest.Files{"a": append(data, secret...)}, rules)) == 0 {
			t.Fatal("the secret was not found")
		}
	})
}

// TestMarkup: what markup cuts in two is found, where it stands.
func TestMarkup(t *testing.T) {
	secrets := []Secret{{Name: "the secret gate", Value: []byte("plum_tree--2026")}}
	token := "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"
	for _, c := range []struct{ page, want string }{
		{"<p>\nghp<sub>16C7e42F292c6912E7710c838347Ae178B4a</sub></p>", "2 looks like a GitHub token"},
		{"<p>" + token + "</p>", "1 looks like a GitHub token"}, // and once
		{"<pre>\n\n<span class=\"k\">export</span> T=<span>ghp_</span><span class=\"s\">16C7e42F292c6912E7710c838347Ae178B4a</span></pre>", "3 looks like a GitHub token"},
		{"<p>plum<sub>tree</sub>–2026</p>", "1 the value of the secret gate"},
		{"<p>the pl<em>um</em>_tree&#45;-2026</p>", "1 the value of the secret gate"},
		{"<p>plum_</p><p>tree--2026</p>", ""}, // two paragraphs
		{"<td>ghp_16C7e42F292c6912E77</td><td>10c838347Ae178B4a</td>", ""},
		{"<p>x<sub>16</sub> and y<sup>2</sup> < z", ""},
		{"<!-- ghp --><style>p{}</style>\n<script>\nlet a = 1;</script>\nghp<sub>16C7e42F292c6912E7710c838347Ae178B4a</sub>", "4 looks like a GitHub token"},
	} {
		got := ""
		for _, f := range Scan(manifest.Files{"a.html": []byte(c.page)}, Rules{Secrets: secrets}) {
			got += fmt.Sprintf("%d %s\n", f.Line, f.What)
		}
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: %q, want %q", c.page, got, c.want)
		}
	}
}
