package hostile

import (
	"fmt"
	"strings"

	"wb/sandbox/dock"
)

// strange are names that lead elsewhere in some systems, or are none.
var strange = []string{
	"a\x00", "a\nb", "\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", "", strings.Repeat("n", 1025),
}

// nameCases use strange names where a name is asked for: they are refused, not
// cut, cleaned or passed on.
func nameCases() []Case {
	var list []Case
	for _, name := range strange {
		for _, op := range []string{"kv.put", "queue.push", "vfs.write"} {
			list = append(list, attempt(fmt.Sprintf("name/%s/%.20q", op, name), dock.CodeInvalid+"|"+dock.CodeLimit, op, name, "x"))
		}
	}
	for _, name := range []string{"..", "../x", "a/../../x", "memory:../x", "memory:..", "tmp:/../x", "workspace:a/../../b", "/..", "a\\..\\b", "dir/", "memory:", ":", "/", "."} {
		for _, op := range []string{"vfs.write", "vfs.read", "vfs.remove"} {
			args := []string{name}
			if op == "vfs.write" {
				args = append(args, "x")
			}
			want := dock.CodeInvalid
			if name == ":" { // a name like any other
				want = Harmless + "|" + None
			}
			list = append(list, attempt(fmt.Sprintf("path/%s/%q", op, name), want, op, args...))
		}
	}
	// Names of the host's own files, of devices and of other volumes are names like
	// any other within a volume.
	for _, name := range []string{"/etc/passwd", "/proc/self/environ", "events.org", ".git/config", "C:\x3aWindows", "dev/dock", "victim:shared", "memory:memory:x", "file:///etc/passwd", "-rf", "*", "%2e%2e/x", "\u202etxt"} {
		list = append(list, Case{Name: fmt.Sprintf("path/of its own/%q", name), Before: []Step{call("vfs.write", name, "mine")}, Step: call("vfs.read", name), Want: Harmless, Reply: "mine"},
			attempt(fmt.Sprintf("path/nothing there/%q", name), None, "vfs.read", name))
	}
	return list
}

// storeCases try to name another tenant's values, to leave a narrowed grant, and
// to use more than there is.
func storeCases() []Case {
	list := []Case{
		attempt("tenant/kv.get", None, "kv.get", "shared"),
		attempt("tenant/kv.get by path", None, "kv.get", "victim/shared"),
		attempt("tenant/kv.get by SQL", None, "kv.get", "' OR scope='victim' --"),
		attempt("tenant/kv.list", Harmless, "kv.list", ""),
		attempt("tenant/kv.list by pattern", Harmless, "kv.list", "%"),
		attempt("tenant/queue.pop", None, "queue.pop", "shared"),
		attempt("tenant/queue.length", Harmless, "queue.length", "shared"),
		attempt("tenant/queue.pop by SQL", None, "queue.pop", "shared' OR '1'='1"),
		attempt("tenant/vars.get", None, "vars.get", "shared"),
		attempt("tenant/vars.list", Harmless, "vars.list"),
		attempt("tenant/secrets.sign", dock.CodeNotFound, "secrets.sign", "victim", "x"),
		{Name: "tenant/kv.delete leaves theirs", Before: []Step{call("kv.delete", "shared")}, Step: call("kv.list", ""), Want: Harmless, Reply: "[]"},
		{Name: "value at its limit", Step: Step{Operation: "kv.put", Args: []Arg{{Text: "a"}, {Text: "x", Times: dock.MaxValue}}}, Want: Harmless},
		{Name: "message at its limit", Step: Step{Operation: "queue.push", Args: []Arg{{Text: "q"}, {Text: "x", Times: dock.MaxMessage}}}, Want: Harmless},
		{Name: "queue beyond its depth", Before: []Step{{Operation: "queue.push", Args: []Arg{{Text: "q"}, {Text: "m"}}, Times: 1000}}, Step: call("queue.push", "q", "one more"), Want: dock.CodeLimit},
		{Name: "queue at its depth", Before: []Step{{Operation: "queue.push", Args: []Arg{{Text: "q"}, {Text: "m"}}, Times: 999}}, Step: call("queue.push", "q", "the last"), Want: Harmless},
		{Name: "bytes that are not text", Before: []Step{call("kv.put", "a", "\x00\xff\x1b]0;title\x07")}, Step: call("kv.get", "a"), Want: Harmless, Reply: "\x00\xff\x1b]0;title\x07"},
	}
	narrow := func(name, granted, operation string, args ...string) {
		list = append(list, Case{Name: "narrowed/" + name, Step: call(operation, args...), Granted: []string{granted}, Want: dock.CodeDenied})
	}
	for _, key := range []string{"b", "", "A", "cach", "cache", "cache:x", " cache/x", "Cache/x", "../cache/x", "\x00cache/x"} {
		narrow(fmt.Sprintf("kv.get %q", key), "kv:cache/*", "kv.get", key)
		narrow(fmt.Sprintf("kv.put %q", key), "kv:cache/*", "kv.put", key, "x")
	}
	narrow("kv.delete", "kv:a", "kv.delete", "b")
	narrow("queue.push", "queue:jobs", "queue.push", "other", "x")
	narrow("queue.pop", "queue:jobs", "queue.pop", "jobs2")
	narrow("vars.get", "vars:other", "vars.get", "region")
	narrow("secrets.sign", "secrets:other", "secrets.sign", "key", "x")
	narrow("secrets.public", "secrets:other", "secrets.public", "key")
	narrow("commands.run", "commands:fail", "commands.run", "echo", "", "")
	narrow("exec.run", "exec:fail", "exec.run", "echo", "", "")
	narrow("process.spawn", "process:fail", "process.spawn", "echo", "", "")
	narrow("build.run", "build:js", "build.run", "python", "", "", "")
	narrow("serve.listen", "serve:8080", "serve.listen", "8081", "")
	narrow("tcpserve.listen", "tcp-serve:8080", "tcpserve.listen", "0", "")
	return list
}

// queryCases write, attach, load and exhaust through a query that may only read.
func queryCases() []Case {
	var list []Case
	for name, sql := range map[string]string{
		"insert": "INSERT INTO vfs VALUES('memory','a','x',0)", "update": "UPDATE vfs SET content='x'", "delete": "DELETE FROM vfs", "drop": "DROP TABLE vfs", "create": "CREATE TABLE t(a)",
		"attach": "ATTACH DATABASE '/tmp/evil.db' AS evil", "attach other": "ATTACH DATABASE 'kv.sqlite' AS kv", "detach": "DETACH DATABASE main", "pragma": "PRAGMA writable_schema=1", "pragma read": "PRAGMA database_list",
		"vacuum into": "VACUUM INTO '/tmp/copy.db'", "load": "SELECT load_extension('/tmp/evil.so')", "readfile": "SELECT readfile('/etc/passwd')", "writefile": "SELECT writefile('/tmp/x','x')", "edit": "SELECT edit('x')",
		"two statements": "SELECT 1; DELETE FROM vfs", "write in a with": "WITH t AS (SELECT 1) DELETE FROM vfs", "returning": "DELETE FROM vfs RETURNING *", "begin": "BEGIN IMMEDIATE", "savepoint": "SAVEPOINT a", "reindex": "REINDEX",
		"trigger": "CREATE TEMP TRIGGER t AFTER INSERT ON vfs BEGIN SELECT 1; END", "temp table": "CREATE TEMP TABLE t(a)", "schema": "SELECT sql FROM sqlite_master", "temp schema": "SELECT * FROM sqlite_temp_master", "other tables": "SELECT * FROM kv",
		"totals": "SELECT * FROM vfs_total", "explain": "EXPLAIN DELETE FROM vfs", "analyze": "ANALYZE", "empty": "", "NUL": "SELECT 1\x00; DELETE FROM vfs", "not UTF-8": "SELECT '\xff", "replace": "REPLACE INTO vfs VALUES('memory','a','x',0)", "alter": "ALTER TABLE vfs RENAME TO v",
		"pragma function": "SELECT * FROM pragma_database_list", "table function": "SELECT * FROM pragma_table_info('vfs')", "fts": "CREATE VIRTUAL TABLE f USING fts5(a)",
	} {
		list = append(list, attempt("query/"+name, dock.CodeInvalid+"|"+dock.CodeDenied+"|"+dock.CodeFailed+"|"+dock.CodeLimit, "vfs.query", sql))
	}
	for name, sql := range map[string]string{
		"zeroblob": "SELECT zeroblob(1000000000)", "randomblob": "SELECT length(randomblob(2000000000))", "recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t) SELECT count(*) FROM t",
		"many rows": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t LIMIT 100000000) SELECT n, hex(zeroblob(1000)) FROM t", "cross join": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t LIMIT 10000) SELECT count(*) FROM t a, t b, t c, t d",
		"printf": "SELECT printf('%.*c', 1000000000, 'x')", "replace bomb": "SELECT length(replace(hex(zeroblob(1000000)), '0', hex(zeroblob(100000))))",
	} {
		list = append(list, attempt("query/bomb/"+name, dock.CodeInvalid+"|"+dock.CodeLimit+"|"+dock.CodeFailed, "vfs.query", sql))
	}
	list = append(list, attempt("query/bomb/like", Harmless+"|"+dock.CodeInvalid+"|"+dock.CodeLimit+"|"+dock.CodeFailed, "vfs.query", "SELECT '"+strings.Repeat("a", 4000)+"' LIKE '"+strings.Repeat("%a", 4000)+"b'"),
		attempt("query/a column of bytes", Harmless, "vfs.query", "SELECT x'00ff1b'"),
		Case{Name: "query/writes nothing", Before: []Step{call("vfs.write", "memory:a", "mine"), call("vfs.query", "DELETE FROM vfs"), call("vfs.query", "SELECT 1; DELETE FROM vfs")}, Step: call("vfs.read", "memory:a"), Want: Harmless, Reply: "mine"})
	return list
}
