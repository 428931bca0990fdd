package netbroker

import (
	"slices"
	"testing"
)

// FuzzSocketGrant reads grants for sockets: what is a grant is one as it prints
// itself too, and allows its own address.
func FuzzSocketGrant(f *testing.F) {
	for _, text := range []string{"example.com:7", "*:53", "*.a.test:*", "[::1]:80", "a:0", "", "EXAMPLE.com.:65535", "a:+7"} {
		f.Add("tcp", text)
	}
	f.Fuzz(func(t *testing.T, network, text string) {
		if !slices.Contains(Networks, network) {
			return
		}
		g, err := ParseSocketGrant(network, text)
		if err != nil {
			return
		}
		again, err := ParseSocketGrant(network, g.String()[len(network)+1:])
		if err != nil || again != g {
			t.Errorf("%q is %+v, printed %s, read %+v %v", text, g, g, again, err)
		}
		if g.Port != 0 && g.Host[0] != '*' && !g.Allows(g) {
			t.Errorf("%s does not allow itself", g)
		}
	})
}
