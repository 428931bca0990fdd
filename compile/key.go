package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"math"
	"slices"

	"wb/internal/value"
)

// keyVersion changes when what Key covers or how it is written changes, so
// that artifacts of older versions of wb are not found by accident.
const keyVersion = "wb artifact 1"

// Key names the program that src makes with a lane whose fingerprint is given:
// a SHA-256 in hex over everything that may change it. Pos and Lines are left
// out on purpose: moving a block within its file does not rebuild it.
func (s *Source) Key(fingerprint string) string {
	d := digest{sha256.New()}
	d.text(keyVersion)
	d.text(fingerprint)
	d.text(s.Lang)
	d.text(s.Body)
	d.text(string(s.Shape))
	d.text(s.Func)
	d.texts(s.Params)
	d.texts(s.Outs)
	if s.Sig != nil {
		d.text(s.Sig.String())
	} else {
		d.text("")
	}
	d.count(len(s.Vars))
	for _, v := range s.Vars {
		d.text(v.Name)
		d.value(v.Value)
		d.texts(v.ColNames)
		d.texts(v.RowNames)
	}
	d.count(len(s.Args))
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		d.text(name)
		d.texts(s.Args[name])
	}
	d.texts(s.Results)
	d.texts(s.Deps)
	d.count(len(s.Packages))
	for _, p := range s.Packages {
		d.texts([]string{p.Path, p.Name, p.Version, p.Integrity})
	}
	d.count(len(s.Session))
	for _, earlier := range s.Session {
		d.text(earlier.Key(""))
	}
	if s.Document != nil {
		d.text("document")
		d.text(s.Document.Name)
		d.text(s.Document.Text)
		d.count(s.Document.Point)
	}
	d.count(len(s.Files))
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		d.text(name)
		d.text(string(s.Files[name]))
	}
	return hex.EncodeToString(d.Sum(nil))
}

// digest writes values so that no two different sequences give the same
// bytes: every text is preceded by its length, every value by its kind.
type digest struct{ hash.Hash }

func (d digest) count(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}

func (d digest) text(s string) {
	d.count(len(s))
	d.Write([]byte(s))
}

func (d digest) texts(list []string) {
	d.count(len(list))
	for _, s := range list {
		d.text(s)
	}
}

func (d digest) value(v value.Value) {
	d.count(int(v.Kind()))
	switch v.Kind() {
	case value.Bool:
		if v.Bool() {
			d.count(1)
		} else {
			d.count(0)
		}
	case value.Int:
		d.count(int(v.Uint()))
		if v.IsBig() { // whose bits are those of a negative number
			d.count(1)
		}
	case value.Float:
		d.count(int(math.Float64bits(v.Float())))
	case value.String:
		d.text(v.Text())
	case value.List:
		d.count(len(v.Items()))
		for _, item := range v.Items() {
			d.value(item)
		}
	case value.Object:
		d.count(len(v.Fields()))
		for _, f := range v.Fields() {
			d.text(f.Name)
			d.value(f.Value)
		}
	case value.BlobRef:
		b := v.Blob()
		d.text(b.SHA256)
		d.text(b.Media)
		d.text(b.Path)
	}
}
