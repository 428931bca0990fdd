package fabric

import (
	"crypto/tls"
	"fmt"
	"net"
	"time"
)

// Config says where the fabric is and how to behave in it. The zero value of
// every field but URL stands for the default named there.
type Config struct {
	// URL is the server's, such as nats://host:4222; several are separated by
	// commas.
	URL string
	// Tenant is whose queue this is ("default"), Token what proves it: it is
	// sent as the password of the user Tenant or of a worker of it.
	Tenant, Token string
	// User is who the token belongs to when it is not the tenant.
	User string
	// Creds is a file of credentials, a signed user and the key that proves it,
	// as clusters with operators hand them out; it stands in for the token.
	Creds string
	// TLS is used when it is set or the URL begins with tls://.
	TLS *tls.Config
	// Within is a server in this process to talk to; nothing of that leaves the
	// process, so URL is only its name then.
	Within InProcess
	// Name says who this is, in lists and records (host and process id).
	Name string

	// AckWait is how long a worker may be silent before others get its work
	// (10 s). It is a property of the tenant's queue: whoever comes first sets it.
	AckWait time.Duration
	// MaxTries is how often work may fail (4), MaxSilent how often its worker may
	// fall silent (10): that is less often the work's fault.
	MaxTries, MaxSilent int
	// Window is how much work a caller may have under way (256).
	Window int
	// Poll is how often a caller looks for results it was not told of (10 s):
	// messages are lost where links are cut.
	Poll time.Duration
	// Quota bounds what the tenant keeps on the server.
	Quota Quota
	// Replicas is how many servers of a cluster keep a copy of everything; 0 is
	// three, or all where there are fewer.
	Replicas int
	// Told hears in words of a server that falls silent or is back; nil need not.
	Told func(text string)
}

// InProcess is a server in this process.
type InProcess interface {
	InProcessConn() (net.Conn, error)
}

// DefaultWindow is how much work a caller has in flight by default.
const DefaultWindow = 256

// Quota bounds what one tenant keeps on a server. Zero fields have the defaults
// named there.
type Quota struct {
	Messages     int64 // pieces of work that wait at once (16 Ki)
	MessageBytes int64 // their size together (256 MiB)
	ResultBytes  int64 // results; the oldest make room (1 GiB)
	ObjectBytes  int64 // large bodies, replies and toolchains (4 GiB)
	// Keep is how long results are kept unless replaced (30 days), Objects how
	// long large bodies do (7 days).
	Keep, Objects time.Duration
}

// Total is a tenant's disk quota in bytes.
func (q Quota) Total() int64 {
	q = q.withDefaults()
	return q.MessageBytes + q.ResultBytes + q.ObjectBytes + logBytes
}

const logBytes = 64 << 20

func (q Quota) withDefaults() Quota {
	set := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	set(&q.Messages, 16<<10)
	set(&q.MessageBytes, 256<<20)
	set(&q.ResultBytes, 1<<30)
	set(&q.ObjectBytes, 4<<30)
	if q.Keep == 0 {
		q.Keep = 30 * 24 * time.Hour
	}
	if q.Objects == 0 {
		q.Objects = 7 * 24 * time.Hour
	}
	return q
}

func (c Config) withDefaults() (Config, error) {
	if c.Tenant == "" {
		c.Tenant = DefaultTenant
	}
	if err := CheckTenant(c.Tenant); err != nil {
		return c, err
	}
	if c.URL == "" {
		return c, fmt.Errorf("fabric: no server")
	}
	if err := checkURL(c.URL); err != nil {
		return c, err
	}
	if c.User == "" {
		c.User = c.Tenant
	}
	if c.AckWait == 0 {
		c.AckWait = 10 * time.Second
	}
	if c.MaxTries == 0 {
		c.MaxTries = 4
	}
	if c.MaxSilent == 0 {
		c.MaxSilent = 10
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	if c.Poll == 0 {
		c.Poll = 10 * time.Second
	}
	if c.Name == "" {
		c.Name = processName()
	}
	if c.Replicas < 0 || c.Replicas > 5 {
		return c, fmt.Errorf("fabric: %d copies: expected 1 to 5", c.Replicas)
	}
	if c.Told == nil {
		c.Told = func(string) {}
	}
	c.Quota = c.Quota.withDefaults()
	return c, nil
}

// WorkerUser is the user of a tenant's workers on a server of package embed.
func WorkerUser(tenant string) string { return tenant + "-worker" }
