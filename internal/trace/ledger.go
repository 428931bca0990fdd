package trace

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"wb/internal/identity"
)

// The ledger proves that the lines of _steps.jsonl are those that were
// written. A hash chain runs over all of them:
//
//	h0 = sha256("workbooks-ledger-v1")
//	h_i = sha256(hex(h_{i-1}) ‖ line_i)        (without its newline)
//
// and each run, when it ends, appends a seal with the head of the chain over
// what was written so far, signed. A seal goes on where the one before it
// stopped, so every line is sealed once, whichever run wrote it: runs that
// share a file interleave. Lines after the last seal are a tail: a run that is
// still going, or one that crashed.
//
// This is evidence, not prevention. Who can write both files can cut them off
// at a seal, and who holds the key can seal anything.

// ledgerSeed starts the chain.
const ledgerSeed = "workbooks-ledger-v1"

// SealRecord is one seal of a ledger.
type SealRecord struct {
	Run       string `json:"run"`        // the run that sealed; it wrote the last line
	FirstLine int    `json:"first_line"` // the first line this seal adds, from 1
	LastLine  int    `json:"last_line"`  // the last one; FirstLine-1 when it adds none
	DID       string `json:"did"`        // the signer; "" when unsigned
	Count     int    `json:"count"`      // how many lines it adds
	Head      string `json:"head"`       // h of the last line, in hex
	Sig       string `json:"sig"`        // Ed25519 over Head (the hex text), in hex
	TS        int64  `json:"ts"`         // when, in seconds since 1970

	// End is the size of the file up to the last line, so that the next seal
	// need not read from the start.
	End int64 `json:"end"`
	// Marks are the first three bytes of every h of this seal, in base64. They
	// prove nothing; they let a failed verification name the line.
	Marks string `json:"marks"`
}

// chain computes h.
type chain struct{ head [2 * sha256.Size]byte }

func newChain() *chain {
	c := &chain{}
	c.set(sha256.Sum256([]byte(ledgerSeed)))
	return c
}

func (c *chain) set(sum [sha256.Size]byte) { hex.Encode(c.head[:], sum[:]) }

// add goes on by one line and returns its h.
func (c *chain) add(line []byte, scratch []byte) (sum [sha256.Size]byte, _ []byte) {
	scratch = append(append(scratch[:0], c.head[:]...), line...)
	sum = sha256.Sum256(scratch)
	c.set(sum)
	return sum, scratch
}

// markLen is how many bytes of a hash a mark keeps.
const markLen = 3

// Seal appends to the ledger a seal over the lines of the steps file up to
// byte end that no seal covers yet. A nil signer leaves it unsigned. Processes
// that seal at once take turns.
func Seal(ledgerPath, stepsPath string, end int64, run string, signer identity.Signer, now time.Time) (SealRecord, error) {
	file := newAppendFile(ledgerPath, 0o644)
	defer file.Close()
	size, err := file.acquire()
	if err != nil {
		return SealRecord{}, fmt.Errorf("seal: %w", err)
	}
	defer unlock(file.file)
	previous, keep, err := lastSeal(file.file, size)
	if err != nil {
		return SealRecord{}, fmt.Errorf("seal: %s: %w", ledgerPath, err)
	}
	seal, err := extend(previous, stepsPath, end)
	if err != nil {
		return SealRecord{}, fmt.Errorf("seal: %w", err)
	}
	seal.Run, seal.TS = run, now.Unix()
	if signer != nil {
		seal.DID, seal.Sig = signer.DID(), hex.EncodeToString(signer.Sign([]byte(seal.Head)))
	}
	if err := appendSeal(file.file, keep, previous != nil, seal); err != nil {
		return SealRecord{}, fmt.Errorf("seal: %w", err)
	}
	return seal, nil
}

// extend hashes the lines from where previous stopped up to byte end. When the
// file is shorter than previous says, it was removed or cut: the chain starts
// anew at line 1, which verification reports.
func extend(previous *SealRecord, stepsPath string, end int64) (SealRecord, error) {
	f, err := os.Open(stepsPath)
	if err != nil {
		return SealRecord{}, err
	}
	defer f.Close()
	c, seal := newChain(), SealRecord{FirstLine: 1}
	if previous != nil {
		info, err := f.Stat()
		if err != nil {
			return SealRecord{}, err
		}
		if previous.End <= info.Size() {
			seal.FirstLine, seal.End = previous.LastLine+1, previous.End
			copy(c.head[:], previous.Head)
		}
	}
	end = max(end, seal.End)
	lines := bufio.NewReaderSize(io.NewSectionReader(f, seal.End, end-seal.End), 1<<16)
	var scratch, marks []byte
	for {
		line, err := readLine(lines)
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil && err != io.EOF {
			return SealRecord{}, err
		}
		var sum [sha256.Size]byte
		sum, scratch = c.add(line, scratch)
		marks = append(marks, sum[:markLen]...)
		seal.Count++
	}
	seal.LastLine, seal.End = seal.FirstLine+seal.Count-1, end
	seal.Head, seal.Marks = string(c.head[:]), base64.StdEncoding.EncodeToString(marks)
	return seal, nil
}

// readLine reads a line of any length without its newline. A last line without
// newline comes with io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		var rest []byte
		rest, err = r.ReadBytes('\n')
		line = append(line, rest...)
	}
	return bytes.TrimSuffix(line, newline), err
}

// A ledger file is a JSON array with one seal per line:
//
//	[
//	{"run":"01J…","first_line":1,…},
//	{"run":"01J…","first_line":9,…}
//	]
//
// Appending replaces the closing bracket. A file whose end a crash has torn is
// read up to its last whole line.

const ledgerClose = "\n]\n"

// lastSeal finds the last whole seal of a ledger of size bytes and the offset
// after it, from which the next is written; nil and 0 for an empty ledger.
func lastSeal(f *os.File, size int64) (*SealRecord, int64, error) {
	for window := int64(1 << 16); ; window *= 8 {
		start := max(0, size-window)
		text := make([]byte, size-start)
		if _, err := f.ReadAt(text, start); err != nil && err != io.EOF {
			return nil, 0, err
		}
		for end := len(text); end > 0; {
			begin := bytes.LastIndexByte(text[:end-1], '\n') + 1
			if begin == 0 && start > 0 {
				break // the line starts before the window
			}
			if seal, n := parseSeal(text[begin:end]); seal != nil {
				return seal, start + int64(begin+n), nil
			}
			end = begin
		}
		if start == 0 {
			return nil, 0, nil
		}
	}
}

// parseSeal reads a line of a ledger and returns the length of its object, or
// nil when the line is not a seal.
func parseSeal(line []byte) (*SealRecord, int) {
	text := bytes.TrimRight(line, ", \t\r\n")
	var seal SealRecord
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &seal) != nil {
		return nil, 0
	}
	if len(seal.Head) != 2*sha256.Size || seal.FirstLine < 1 || seal.Count < 0 || seal.LastLine != seal.FirstLine+seal.Count-1 || seal.End < 0 {
		return nil, 0
	}
	return &seal, len(text)
}

// appendSeal writes a seal at offset at, after another one or at the start.
func appendSeal(f *os.File, at int64, after bool, seal SealRecord) error {
	text, err := json.Marshal(seal)
	if err != nil {
		return err
	}
	lead := "[\n"
	if after {
		lead = ",\n"
	}
	record := append(append([]byte(lead), text...), ledgerClose...)
	// The file was opened for appending; cutting it first makes the append land
	// at the right place. A crash in between loses brackets, never a seal.
	if err := f.Truncate(at); err != nil {
		return err
	}
	_, err = f.Write(record)
	return err
}

// ReadLedger reads the seals of a ledger. Torn says that the file does not end
// as a ledger does: a writer died, or somebody edited it.
func ReadLedger(text []byte) (seals []SealRecord, torn bool) {
	for line := range bytes.Lines(text) {
		if seal, _ := parseSeal(line); seal != nil {
			seals = append(seals, *seal)
		} else if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && string(trimmed) != "[" && string(trimmed) != "]" {
			torn = true
		}
	}
	return seals, torn || !bytes.HasSuffix(text, []byte(ledgerClose)) && len(text) > 0
}
