package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wb/internal/identity"
	"wb/internal/whole"
)

// Ring is a user's signing key with its log, in the user's config directory.
//
// Rotation survives a crash at any point: the next key is written aside, then
// the log names it, then it takes the place of the old one. [Open] finishes
// what was begun. The old key is gone afterwards.
type Ring struct {
	dir, tenant string
	Key         identity.Key
	Log         *Log
	fromEnv     bool
}

// Open reads the key of a tenant and its log; both are made on first use. dir
// is "" for the user's config directory. A key from WB_SIGNING_KEY comes with
// the log that names it, or else with a log of its own that is not kept.
func Open(dir, tenant string, now time.Time) (*Ring, error) {
	dir, err := Dir(dir)
	if err != nil {
		return nil, err
	}
	s := &Ring{dir: dir, tenant: tenant, fromEnv: os.Getenv(identity.EnvSeed) != ""}
	if s.Key, err = identity.Load(dir, tenant); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.logPath())
	if errors.Is(err, fs.ErrNotExist) {
		return s, s.begin(now)
	}
	if err != nil {
		return nil, fmt.Errorf("key log: %w", err)
	}
	if s.Log, err = ParseLog(text); err != nil {
		return nil, fmt.Errorf("%s: %w", s.logPath(), err)
	}
	if s.Log.Current() == s.Key.DID() {
		return s, nil
	}
	if s.fromEnv {
		return s, s.begin(now)
	}
	return s, s.finish()
}

// Kept is the text of the key log that [Open] would find, nil when there is none;
// nothing is made.
func Kept(dir, tenant string) ([]byte, error) {
	dir, err := Dir(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile((&Ring{dir: dir, tenant: tenant}).logPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// KnownLogs are the key log that [Open] would find and those of former
// identities; nothing is made.
func KnownLogs(dir, tenant string) ([]*Log, error) {
	text, err := Kept(dir, tenant)
	if err != nil {
		return nil, err
	}
	if dir, err = Dir(dir); err != nil {
		return nil, err
	}
	s := &Ring{dir: dir, tenant: tenant}
	logs, err := s.Former()
	if err != nil || text == nil {
		return logs, err
	}
	log, err := ParseLog(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.logPath(), err)
	}
	return append(logs, log), nil
}

// Dir is the directory of keys; "" asks for the user's.
func Dir(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("signing key: %w", err)
	}
	return filepath.Join(config, "wb", "keys"), nil
}

func (s *Ring) keyPath() string  { return filepath.Join(s.dir, s.tenant+".ed25519") }
func (s *Ring) nextPath() string { return filepath.Join(s.dir, s.tenant+".next.ed25519") }
func (s *Ring) logPath() string  { return filepath.Join(s.dir, s.tenant+".keylog") }

// Path is where the key lies, "" when it came from the environment.
func (s *Ring) Path() string {
	if s.fromEnv {
		return ""
	}
	return s.keyPath()
}

func (s *Ring) begin(now time.Time) error {
	log, err := NewLog(s.Key, now)
	if err != nil {
		return err
	}
	s.Log = log
	if s.fromEnv {
		return nil
	}
	return s.keep(log)
}

// finish puts the next key in its place, after a crash or at the end of a
// rotation.
func (s *Ring) finish() error {
	next, err := identity.Load(s.dir, s.tenant+".next")
	if err != nil {
		return err
	}
	if next.DID() != s.Log.Current() {
		return fmt.Errorf("%s: the key log names %s, and no key file holds that key", s.logPath(), s.Log.Current())
	}
	if err := os.Rename(s.nextPath(), s.keyPath()); err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	s.Key = next
	return nil
}

// ErrFromEnvironment says that a key cannot be changed where it is not kept.
var ErrFromEnvironment = errors.New("the key comes from " + identity.EnvSeed + "; change it where its file is")

// Rotate replaces the key from release sequence on and returns the old did.
func (s *Ring) Rotate(sequence int, now time.Time) (old string, err error) {
	if s.fromEnv {
		return "", ErrFromEnvironment
	}
	// Written aside on first use, found again by whoever rotates after a crash.
	next, err := identity.Load(s.dir, s.tenant+".next")
	if err != nil {
		return "", err
	}
	log, err := s.Log.Rotate(s.Key, next, sequence, now)
	if err != nil {
		return "", err
	}
	if err := s.keep(log); err != nil {
		return "", err
	}
	old, s.Log = s.Key.DID(), log
	return old, s.finish()
}

// Revoke takes back what key signs from release sequence on. The current key
// gives way to a new one in the same step: a revoked key could name no other.
func (s *Ring) Revoke(key string, sequence int, reason string, now time.Time) error {
	if s.fromEnv {
		return ErrFromEnvironment
	}
	by, log := s.Key, s.Log
	current := key == log.Current()
	if current {
		next, err := identity.Load(s.dir, s.tenant+".next")
		if err != nil {
			return err
		}
		if log, err = log.Rotate(by, next, sequence, now); err != nil {
			return err
		}
		by = next
	}
	log, err := log.Revoke(by, key, sequence, reason, now)
	if err != nil {
		return err
	}
	if err := s.keep(log); err != nil {
		return err
	}
	s.Log = log
	if current {
		return s.finish()
	}
	return nil
}

// Another begins another identity. The key and log that were there stay beside,
// so that what they revoke goes on being published.
func (s *Ring) Another(now time.Time) error {
	if s.fromEnv {
		return ErrFromEnvironment
	}
	former, err := s.formerPaths()
	if err != nil {
		return err
	}
	aside := filepath.Join(s.dir, fmt.Sprintf("%s.former-%d", s.tenant, len(former)+1))
	if err := errors.Join(os.Rename(s.logPath(), aside+".keylog"), os.Rename(s.keyPath(), aside+".ed25519")); err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	if s.Key, err = identity.Load(s.dir, s.tenant); err != nil {
		return err
	}
	return s.begin(now)
}

// Former are the logs of the identities before this one.
func (s *Ring) Former() ([]*Log, error) {
	paths, err := s.formerPaths()
	if err != nil {
		return nil, err
	}
	var out []*Log
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("key log: %w", err)
		}
		log, err := ParseLog(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, log)
	}
	return out, nil
}

func (s *Ring) formerPaths() ([]string, error) {
	return filepath.Glob(filepath.Join(s.dir, s.tenant+".former-*.keylog"))
}

// keep replaces the log's file as a whole.
func (s *Ring) keep(log *Log) error {
	if err := (whole.File{Mode: 0o644, Sync: true}).Write(s.logPath(), log.Text()); err != nil {
		return fmt.Errorf("key log: %w", err)
	}
	return nil
}
