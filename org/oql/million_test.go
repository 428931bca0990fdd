//go:build long

package oql

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/internal/test/cpu"
	"wb/org/index"
)

// TestEventsLikeSQLite asks wb and sqlite3 the same about a log of events: every
// operator, stage and aggregate of docs/oql.org. The table that sqlite3 asks is made of
// the text of the log, line by line. There are a million events, or WB_EVENTS of them.
func TestEventsLikeSQLite(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("no sqlite3: apt-get install sqlite3")
	}
	n := 1_000_000
	if text := os.Getenv("WB_EVENTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	log, db := filepath.Join(dir, "events.org"), filepath.Join(dir, "events.db")
	writeEvents(t, log, n)
	importEvents(t, log, db)
	store := index.Open(filepath.Join(dir, "index"), PackVersion)
	for range 2 { // the second time it is there
		indexedEvents(t, store, log, "from:events | count")
	}
	var mine, theirs time.Duration
	for _, ask := range likeSQL {
		start := cpuOf(t, nil)
		got := indexedEvents(t, store, log, ask.query)
		own := cpuOf(t, nil) - start
		cmd := exec.Command("sqlite3", "-csv", "-header", db, ask.sql)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", ask.sql, err, errs.String())
		}
		their := cpuOf(t, cmd)
		mine, theirs = mine+own, theirs+their
		if want := strings.ReplaceAll(string(out), "\r", ""); got != want {
			t.Errorf("%s\n%s\n  got\n%s  want\n%s", ask.query, ask.sql, head(got), head(want))
		}
		t.Logf("%6.2f s %6.2f s  %s", own.Seconds(), their.Seconds(), ask.query)
	}
	t.Logf("%d events, %d queries: %.2f s of processor time, sqlite3 %.2f s", n, len(likeSQL), mine.Seconds(), theirs.Seconds())
}

// likeSQL are queries of both. A row without a column satisfies no comparison in either.
var likeSQL = []struct{ query, sql string }{
	{"from:events | count", "select count(*) as count from e"},
	{"from:events exit:!=0 | count", "select count(*) as count from e where exit != 0"},
	{"from:events exit:0 | count", "select count(*) as count from e where exit = 0"},
	{"from:events !exit:0 | count", "select count(*) as count from e where (exit = 0) is not true"},
	{"from:events !prop:exit | count", "select count(*) as count from e where exit is null"},
	{"from:events dur_ms:>1000 | count", "select count(*) as count from e where dur_ms > 1000"},
	{"from:events dur_ms:>=100 dur_ms:<200 | count", "select count(*) as count from e where dur_ms >= 100 and dur_ms < 200"},
	{"from:events tool:shell,fetch | count", "select count(*) as count from e where tool in ('shell', 'fetch')"},
	{"from:events tool:!=shell | count", "select count(*) as count from e where tool != 'shell'"},
	{"from:events tool:~^s | count", "select count(*) as count from e where tool like 's%'"},
	{"from:events tool:!~^s | count", "select count(*) as count from e where tool not like 's%'"},
	{"from:events body:~solar | count", "select count(*) as count from e where body like '%solar%'"},
	{"from:events title:~step | count", "select count(*) as count from e where title like '%step%'"},
	{"from:events ts:on=2024-01-01 | count", "select count(*) as count from e where ts >= '2024-01-01' and ts < '2024-01-02'"},
	{`(query (from events) (where (ts :from "2024-01-01 09:00" :to "2024-01-01 10:00")) (select (count)))`,
		"select count(*) as count from e where ts >= '2024-01-01 09:00:00' and ts <= '2024-01-01 10:00:00'"},
	{"from:events ts:>=2024-01-02 | count", "select count(*) as count from e where ts >= '2024-01-02'"},
	{"(query (from events) (where (or (= tool shell) (and (> dur_ms 500) (not (= lang python))))) (select (count)))",
		"select count(*) as count from e where tool = 'shell' or (dur_ms > 500 and (lang = 'python') is not true)"},
	{"from:events | group tool | count | sort tool", "select tool, count(*) as count from e group by tool order by tool is null, tool"},
	{"from:events prop:tool | group tool | count, sum dur_ms, min dur_ms, max dur_ms | sort tool",
		"select tool, count(*) as count, sum(dur_ms) as sum, min(dur_ms) as min, max(dur_ms) as max from e where tool is not null group by tool order by tool"},
	{"from:events prop:tool | group tool | count-distinct run | sort tool",
		`select tool, count(distinct run) as "count-distinct" from e where tool is not null group by tool order by tool`},
	{"from:events prop:lang | group lang, cache | count, max fuel as most | sort lang, cache",
		"select lang, cache, count(*) as count, max(fuel) as most from e where lang is not null group by lang, cache order by lang, cache"},
	{"from:events prop:tool | group tool | p50 dur_ms, p95 dur_ms, p99 dur_ms | sort tool", percentiles},
	{"from:events prop:tool exit:1 | group tool | count | sort -count, tool | limit 2",
		"select tool, count(*) as count from e where exit = 1 and tool is not null group by tool order by count desc, tool limit 2"},
	{"from:events | sort -dur_ms, run, call | limit 5 | offset 2 | select run, call, dur_ms",
		"select run, call, dur_ms from e order by dur_ms desc, run, call limit 5 offset 2"},
	{"from:events | group run | count | sort -count, run | limit 10",
		"select run, count(*) as count from e group by run order by count desc, run limit 10"},
	{"from:events prop:tool | group tool, exit | where exit:1 count:>10 | count, max dur_ms | sort tool",
		"select tool, exit, count(*) as count, max(dur_ms) as max from e where tool is not null group by tool, exit " +
			"having exit = 1 and count(*) > 10 order by tool"},
	{"from:events | group run | where count:>20 | count | sort -count, run | limit 10 | offset 3",
		"select run, count(*) as count from e group by run having count(*) > 20 order by count desc, run limit 10 offset 3"},
}

// percentiles are values that occurred: of n sorted ones the least of which at least
// such a part is not above.
const percentiles = `with r as (select tool, dur_ms, row_number() over (partition by tool order by dur_ms) as i,
count(*) over (partition by tool) as n from e where tool is not null)
select tool, min(dur_ms) filter (where i >= 0.50 * n) as p50, min(dur_ms) filter (where i >= 0.95 * n) as p95,
min(dur_ms) filter (where i >= 0.99 * n) as p99 from r group by tool order by tool`

func head(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(len(lines), 8)], "")
}

func indexedEvents(t *testing.T, store *index.Cache, log, text string) string {
	t.Helper()
	q, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := indexed(t, store, log, text)
	defer c.Close()
	res, err := Run(context.Background(), q, Options{Corpus: c, Now: time.Date(2024, 1, 3, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var b strings.Builder
	if err := res.Write(&b, "csv"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var eventColumns = []string{"kind", "title", "run", "call", "step", "component", "agent", "tool", "lang", "exit", "dur_ms", "fuel", "cache", "ts", "body"}

// importEvents makes a table of a log without wb's parser.
func importEvents(t *testing.T, log, db string) {
	t.Helper()
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("sqlite3", db)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriterSize(in, 1<<20)
	fmt.Fprintf(out, "pragma journal_mode=off;\npragma synchronous=off;\ncreate table e(%s);\nbegin;\n", strings.Join(eventColumns, ", "))
	numbers := []string{"call", "step", "exit", "dur_ms", "fuel"}
	event := map[string]string{}
	flush := func() {
		if len(event) == 0 {
			return
		}
		values := make([]string, len(eventColumns))
		for i, c := range eventColumns {
			switch v, ok := event[c]; {
			case !ok:
				values[i] = "null"
			case slices.Contains(numbers, c):
				values[i] = v
			default:
				values[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
			}
		}
		fmt.Fprintf(out, "insert into e values(%s);\n", strings.Join(values, ","))
		clear(event)
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		key, value, isProperty := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), ":"), ":")
		switch {
		case strings.HasPrefix(line, "* "):
			flush()
		case strings.HasPrefix(line, "** "):
			flush()
			title := strings.TrimSpace(line[3:])
			at := strings.LastIndexByte(strings.TrimSuffix(title, ":"), ' ')
			event["title"], event["kind"] = strings.TrimSpace(title[:at]), strings.Trim(title[at:], " :")
		case len(event) == 0 || key == "PROPERTIES" || key == "END":
		case isProperty && strings.HasPrefix(strings.TrimSpace(line), ":"):
			event[strings.ToLower(key)] = strings.TrimSpace(value)
			if key == "TS" { // [2024-01-01 Mon 08:00:01]
				f := strings.Fields(strings.Trim(value, " []"))
				event["ts"] = f[0] + " " + f[len(f)-1]
			}
		default:
			event["body"] += line + "\n"
		}
	}
	flush()
	fmt.Fprintln(out, "commit;")
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// cpuOf is the processor time of this process, or of another that ended.
func cpuOf(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	if cmd != nil {
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return cpu.Own()
}
