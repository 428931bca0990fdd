// Drives `wb lsp` the way VS Code does, with its own protocol library.
// Arguments: the wb executable and an empty directory.
import { createRequire } from 'node:module'
import { spawn } from 'node:child_process'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(process.env.NODE_MODULES + '/')
const lsp = require('vscode-languageserver-protocol/node')

const [wb, dir] = process.argv.slice(2)
const file = path.join(dir, 'client.org')
const uri = pathToFileURL(file).href
let text = `#+TITLE: Client
#+NAME: ünits
| a | 1 |

#+NAME: double
#+begin_src js :var rows=ünits :reslts value
return rows[0][1] * 2
#+end_src
`
fs.writeFileSync(file, text)
const onDisk = text

const server = spawn(wb, ['lsp', '--stdio', '--events', 'none'], { stdio: ['pipe', 'pipe', 'inherit'] })
const exited = new Promise(resolve => server.on('exit', resolve))
const connection = lsp.createProtocolConnection(server.stdout, server.stdin)

let version = 1
let lines = () => text.split('\n')
const offsetAt = p => lines().slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character
const edited = (source, edits) => [...edits].sort((a, b) => offsetAt(b.range.start) - offsetAt(a.range.start))
  .reduce((t, e) => t.slice(0, offsetAt(e.range.start)) + e.newText + t.slice(offsetAt(e.range.end)), source)
const change = next => {
  const last = lines().length - 1
  connection.sendNotification('textDocument/didChange', { textDocument: { uri, version: ++version },
    contentChanges: [{ range: { start: { line: 0, character: 0 }, end: { line: last, character: lines()[last].length } }, text: next }] })
  text = next
}
const place = needle => {
  const line = lines().findIndex(l => l.includes(needle))
  return { textDocument: { uri }, position: { line, character: lines()[line].indexOf(needle) } }
}

let waiting = []
connection.onNotification(lsp.PublishDiagnosticsNotification.type, p => {
  waiting = waiting.filter(w => !(p.version === version && w.test(p.diagnostics) && (w.resolve(p.diagnostics), true)))
})
const diagnostics = test => new Promise((resolve, reject) => {
  waiting.push({ test, resolve })
  setTimeout(() => reject(new Error('no such diagnostics')), 30000).unref()
})
connection.onRequest(lsp.ApplyWorkspaceEditRequest.type, ({ edit }) => {
  const change1 = edit.documentChanges[0]
  if (change1.textDocument.version !== version) return { applied: false, failureReason: 'version' }
  change(edited(text, change1.edits))
  return { applied: true }
})
connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null)
const progress = []
connection.onNotification('$/progress', p => progress.push(p.value.kind))
connection.listen()

const init = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, rootUri: pathToFileURL(dir).href, workspaceFolders: [{ uri: pathToFileURL(dir).href, name: 'w' }],
  capabilities: { workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } }, window: { workDoneProgress: true },
    textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true }, publishDiagnostics: { versionSupport: true } } },
})
assert.equal(init.capabilities.positionEncoding, 'utf-16')
assert.equal(init.serverInfo.name, 'wb')
connection.sendNotification(lsp.InitializedNotification.type, {})

let found = diagnostics(d => d.length > 0)
connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'org', version, text } })
found = await found
assert.equal(found[0].code, 'unknown-argument')
assert.deepEqual(found[0].range, { start: { line: 5, character: 31 }, end: { line: 5, character: 38 } })

const actions = await connection.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri }, range: found[0].range, context: { diagnostics: found } })
const fix = actions.find(a => a.title === 'Change to :results')
const clean = diagnostics(d => d.length === 0)
change(edited(text, fix.edit.documentChanges[0].edits))
assert.match(text, /:results value/)
await clean

const target = await connection.sendRequest(lsp.DefinitionRequest.type, place('ünits :results'))
assert.equal(target[0].range.start.line, 1)
const renamed = await connection.sendRequest(lsp.RenameRequest.type, { ...place('ünits :results'), newName: 'units' })
change(edited(text, renamed.documentChanges[0].edits))
assert.match(text, /#\+NAME: units\n/)
assert.match(text, /:var rows=units /)

const answer = await connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'wb.runBlock', arguments: [uri, 5] })
assert.equal(answer.ran, 1)
assert.ok(answer.applied)
assert.match(text, /#\+RESULTS: double\n: 2\n/)
assert.ok(progress.includes('begin') && progress.includes('end'))

const card = await connection.sendRequest(lsp.HoverRequest.type, place('return rows'))
assert.match(card.contents.value, /Up to date/)
assert.match(card.contents.value, /`2`/)
change(text.replace('* 2', '* 3'))
const stale = await connection.sendRequest(lsp.HoverRequest.type, place('return rows'))
assert.match(stale.contents.value, /Would run: source changed/)

const completion = await connection.sendRequest(lsp.CompletionRequest.type, { textDocument: { uri }, position: { line: 5, character: 15 } })
assert.ok(completion.items.some(i => i.label === ':var'))
const tree = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: { uri } })
assert.deepEqual(tree.map(s => s.name), ['units', 'double'])
const tokens = await connection.sendRequest(lsp.SemanticTokensRequest.type, { textDocument: { uri } })
assert.equal(tokens.data.length % 5, 0)
await assert.rejects(connection.sendRequest('no/such'), { code: -32601 })
assert.equal(fs.readFileSync(file, 'utf8'), onDisk, 'the server wrote the file')

await connection.sendRequest(lsp.ShutdownRequest.type)
connection.sendNotification(lsp.ExitNotification.type)
assert.equal(await exited, 0)
console.log('all of it works')
process.exit(0)
