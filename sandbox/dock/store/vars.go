package store

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"

	"wb/internal/lazyregexp"
)

// VarKind says what a variable is.
type VarKind string

// The kinds of variable. Only plain ones can be read.
const (
	Plain   VarKind = "plain"
	Secret  VarKind = "secret"  // signs as an HMAC key; expands towards granted hosts
	Ed25519 VarKind = "ed25519" // signs as a private key
)

// Variable is one that is set; Value is empty unless it is plain.
type Variable struct {
	Name  string  `json:"name"`
	Kind  VarKind `json:"kind"`
	Size  int     `json:"size"`
	Value string  `json:"value,omitempty"`
}

var varName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]{0,127}$`)

func checkVar(name string) error {
	if !varName.MatchString(name) {
		return &NameError{name, "letters, digits, _ . and -, not a digit first"}
	}
	return nil
}

// SetVar sets a variable. A secret's value is sealed before it is written; for
// Ed25519 it is the 32-byte seed, and nil makes a new key.
func (s *Store) SetVar(ctx context.Context, scope, name string, kind VarKind, value []byte) error {
	if err := checkVar(name); err != nil {
		return err
	}
	if len(value) > s.limits.VariableOf {
		return &LimitError{"variable", int64(len(value)), int64(s.limits.VariableOf), "bytes"}
	}
	size := len(value)
	switch kind {
	case Plain:
		if value == nil {
			value = []byte{}
		}
	case Ed25519:
		if value == nil {
			value = make([]byte, ed25519.SeedSize)
			if _, err := rand.Read(value); err != nil {
				return err
			}
		}
		if size = len(value); size != ed25519.SeedSize {
			return &NameError{name, fmt.Sprintf("an Ed25519 seed has %d bytes, this has %d", ed25519.SeedSize, size)}
		}
		fallthrough
	case Secret:
		if len(value) == 0 {
			return errors.New("a secret cannot be empty")
		}
		sealed, err := s.sealed(scope, name, value)
		if err != nil {
			return err
		}
		value = sealed
	default:
		return fmt.Errorf("unknown kind of variable %q", kind)
	}
	return s.change(ctx, dockFile, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO variable VALUES(?, ?, ?, ?, ?)`, scope, name, string(kind), value, size); err != nil {
			return err
		}
		var count int64
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM variable WHERE scope = ?`, scope).Scan(&count); err != nil {
			return err
		}
		if count > int64(s.limits.Variables) {
			return &LimitError{"variables", count, int64(s.limits.Variables), "variables"}
		}
		return nil
	})
}

// Var finds a variable. A secret comes without its value.
func (s *Store) Var(ctx context.Context, scope, name string) (v Variable, found bool, err error) {
	var value []byte
	found, err = s.one(ctx, dockFile, []any{&v.Kind, &v.Size, &value}, `SELECT kind, size, value FROM variable WHERE scope = ? AND name = ?`, scope, name)
	v.Name = name
	if v.Kind == Plain {
		v.Value = string(value)
	}
	return v, found, err
}

// Vars lists variables by name, secrets without their values.
func (s *Store) Vars(ctx context.Context, scope string) ([]Variable, error) {
	names, err := s.texts(ctx, dockFile, `SELECT name FROM variable WHERE scope = ? ORDER BY name`, scope)
	if err != nil {
		return nil, err
	}
	list := []Variable{}
	for _, name := range names {
		if v, found, err := s.Var(ctx, scope, name); err != nil {
			return nil, err
		} else if found {
			list = append(list, v)
		}
	}
	return list, nil
}

// UnsetVar removes a variable and reports whether it was there.
func (s *Store) UnsetVar(ctx context.Context, scope, name string) (was bool, err error) {
	err = s.change(ctx, dockFile, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `DELETE FROM variable WHERE scope = ? AND name = ?`, scope, name)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		was = n > 0
		return err
	})
	return was, err
}

// Sign signs data with a secret: HMAC-SHA-256, or Ed25519 where the secret is
// such a key.
func (s *Store) Sign(ctx context.Context, scope, name string, data []byte) (signature []byte, found bool, err error) {
	kind, secret, found, err := s.secret(ctx, scope, name)
	if err != nil || !found {
		return nil, found, err
	}
	defer clear(secret)
	if kind == Ed25519 {
		return ed25519.Sign(ed25519.NewKeyFromSeed(secret), data), true, nil
	}
	h := hmac.New(sha256.New, secret)
	h.Write(data)
	return h.Sum(nil), true, nil
}

// Public is the public key of an Ed25519 secret; found is false for other
// kinds.
func (s *Store) Public(ctx context.Context, scope, name string) (key []byte, found bool, err error) {
	kind, secret, found, err := s.secret(ctx, scope, name)
	if err != nil || !found || kind != Ed25519 {
		return nil, false, err
	}
	defer clear(secret)
	return ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey), true, nil
}

// Expand gives the value of a plain secret to the net broker. Nothing that a
// guest can call leads here.
func (s *Store) Expand(ctx context.Context, scope, name string) (value []byte, found bool, err error) {
	kind, secret, found, err := s.secret(ctx, scope, name)
	if err != nil || !found || kind != Secret {
		return nil, false, err
	}
	return secret, true, nil
}

func (s *Store) secret(ctx context.Context, scope, name string) (kind VarKind, value []byte, found bool, err error) {
	var sealed []byte
	found, err = s.one(ctx, dockFile, []any{&kind, &sealed}, `SELECT kind, value FROM variable WHERE scope = ? AND name = ? AND kind <> 'plain'`, scope, name)
	if err != nil || !found {
		return "", nil, false, err
	}
	value, err = s.unsealed(scope, name, sealed)
	return kind, value, err == nil, err
}

// aead is the cipher of secrets. What it seals belongs to a scope and a name:
// moved elsewhere in the file, it does not open.
func (s *Store) aead() (cipher.AEAD, error) {
	if s.seal == nil {
		return nil, errors.New("this store cannot keep secrets")
	}
	key, err := s.seal()
	if err != nil {
		return nil, fmt.Errorf("the key of secrets: %w", err)
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("the key of secrets has %d bytes, not 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func sealedFor(scope, name string) []byte { return []byte(scope + "\x00" + name) }

func (s *Store) sealed(scope, name string, value []byte) ([]byte, error) {
	aead, err := s.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, value, sealedFor(scope, name)), nil
}

func (s *Store) unsealed(scope, name string, sealed []byte) ([]byte, error) {
	aead, err := s.aead()
	if err != nil {
		return nil, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, fmt.Errorf("the secret %s is damaged", name)
	}
	value, err := aead.Open(nil, sealed[:n], sealed[n:], sealedFor(scope, name))
	if err != nil {
		return nil, fmt.Errorf("the secret %s was sealed with another key", name)
	}
	return bytes.Clone(value), nil
}

// Encode is bytes as guests get them from secrets: in base64.
func Encode(data []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(data)) }

// Shown is a variable as anyone may see it; public is the public half of an
// Ed25519 key.
func (v Variable) Shown(public []byte) string {
	switch v.Kind {
	case Secret:
		return fmt.Sprintf("<secret: %d bytes — ref it with %s, cannot read>", v.Size, v.Ref())
	case Ed25519:
		return fmt.Sprintf("<ed25519 key, public %s — signs, cannot be read>", Encode(public))
	}
	return v.Value
}

// Ref is the placeholder of a variable in a request, "" for a signing key, which is
// sent nowhere.
func (v Variable) Ref() string {
	switch v.Kind {
	case Secret:
		return "{{secret:" + v.Name + "}}"
	case Ed25519:
		return ""
	}
	return "{{var:" + v.Name + "}}"
}
