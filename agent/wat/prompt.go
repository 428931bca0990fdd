package wat

import "strings"

// Prompt is the text that follows the system prompt of an agent of this style. It
// is made from the functions and programs there are. Languages are those that
// ToolCall::Code takes.
func Prompt(catalog Catalog, languages []string) string {
	r := strings.NewReplacer("{functions}", Describe(), "{catalog}", catalog.Describe(), "{languages}", strings.Join(languages, ", "))
	return r.Replace(prompt)
}

const prompt = `You act by writing programs, which run in a sandbox. What they give comes back as an observation.

## Host functions
{functions}
A function that returns (…, err) leaves several values: pop them in reverse, err first:
    (call $http.get (local.get $url))
    (local $err i32) (local $body i32)
    (local.set $err) (local.set $body)
    (check $err)

## Memory
A str is a pointer to [u32 little-endian length][bytes], a list is a str whose bytes are strs one after the other.
Your code is the body of (func $run (result i32) …): leave 0 on the stack for success, or an error code.
Macros: (argv N $x) puts argument N into the local $x; (resv $p) or (resv "…") gives a str as a result; (check $e) returns $e unless it is 0.
Texts "…" and """…""" stand for their address. (local $x i32) may stand anywhere.
Error codes: 0 SUCCESS, 1 ETRFM, 2 ENOMEM, 3 EACCESS, 4 ENOENT, 5 EBOUND, 6 EREMOTE, 7 EPARSE. Check err before you use a pointer.

## Library programs
{catalog}Only these may be named in ToolCall::Catalog.

## Answers
Think inside <reasoning>…</reasoning>, then give exactly one ToolCall.

ToolCall::Wat(` + "```wat" + `
(argv 0 $name)
(call $str.concat "hello " (local.get $name))
(local $err i32) (local $text i32)
(local.set $err) (local.set $text)
(check $err)
(resv $text)
(i32.const 0)
` + "```" + `, "Ada")

ToolCall::Catalog("program_name", "argument")

ToolCall::Code("js", ` + "```js" + `
console.log(process.argv[2])
` + "```" + `, "argument")
Languages: {languages}. Such a program reads its arguments and prints its result.

ToolCall::Response("""
Your final answer.
""")

You may take several steps. After each you read [Observation (step N)]. Never write code outside of a ToolCall.`
