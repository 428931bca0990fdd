// The driver runs in the sandbox beside the TypeScript compiler. It answers
// requests to check and translate one block: see request and reply in
// compiler.go. Before the first one it is frozen with the standard library
// parsed and bound, which is most of the work.
(() => {
  'use strict';
  const { libraries } = globalThis; // file name to text
  const root = '/', block = '/block.ts', vars = '/vars.ts', sig = '/sig.ts', outDir = '/.out/';
  const base = {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.d.ts'], types: [], strict: true, alwaysStrict: false, skipLibCheck: true, allowJs: true, checkJs: false,
    esModuleInterop: true, resolveJsonModule: true, rewriteRelativeImportExtensions: true, sourceMap: true, outDir, rootDir: root,
    newLine: ts.NewLineKind.LineFeed, noErrorTruncation: false,
  };
  const parsed = new Map(); // source files of the library, kept in the snapshot
  const libraryFile = name => {
    const at = `/.lib/${name}`;
    if (!parsed.has(at) && libraries[name] !== undefined) parsed.set(at, ts.createSourceFile(at, libraries[name], { languageVersion: base.target }));
    return parsed.get(at);
  };

  // hostOf sees the texts of one request, the files of the block's directory
  // and of its packages, and the library.
  function hostOf(texts) {
    const inside = path => path.replace(/^\/+/, '');
    const text = path => texts.get(path) ?? host.sourceText(inside(path));
    return {
      getSourceFile(path, languageVersionOrOptions) {
        if (path.startsWith('/.lib/')) return libraryFile(path.slice('/.lib/'.length));
        const source = text(path);
        return source === undefined ? undefined : ts.createSourceFile(path, source, languageVersionOrOptions);
      },
      getDefaultLibFileName: () => '/.lib/lib.d.ts', getDefaultLibLocation: () => '/.lib',
      writeFile() {}, getCurrentDirectory: () => root, getCanonicalFileName: path => path, useCaseSensitiveFileNames: () => true, getNewLine: () => '\n',
      readFile: text,
      fileExists: path => texts.has(path) || path.startsWith('/.lib/') && libraries[path.slice('/.lib/'.length)] !== undefined || host.sourceKind(inside(path)) === 'file',
      directoryExists: path => host.sourceKind(inside(path)) === 'directory',
      getDirectories: () => [], realpath: path => path,
    };
  }

  // topLevel finds what only some readings of a block allow: statements of a
  // module, await, and return, outside functions.
  function topLevel(source) {
    const found = { module: ts.isExternalModule(source), await: false, return: false };
    const visit = node => {
      if (ts.isReturnStatement(node)) found.return = true;
      if (ts.isAwaitExpression(node) || ts.isForOfStatement(node) && node.awaitModifier !== undefined) found.await = true;
      if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isModuleDeclaration(node)) return;
      ts.forEachChild(node, visit);
    };
    ts.forEachChild(source, visit);
    return found;
  }

  // choose is the first reading that the block's statements allow, else the
  // first, whose errors then explain what is wrong.
  function choose(readings, body) {
    if (readings.length === 1) return 0;
    const found = topLevel(ts.createSourceFile('/body.ts', body, { languageVersion: base.target }));
    const fits = { module: !found.return, function: !found.module && !found.await, script: !found.return && !found.module && !found.await };
    return Math.max(0, readings.findIndex(r => fits[r.kind]));
  }

  // exported lists the names a module exports as values, with the places where
  // they are written.
  function exported(source) {
    const names = new Map();
    for (const s of source.statements) {
      const modifiers = ts.canHaveModifiers(s) ? ts.getModifiers(s) ?? [] : [];
      const has = kind => modifiers.some(m => m.kind === kind);
      if (ts.isExportAssignment(s) && !s.isExportEquals) names.set('default', s.expression);
      else if (ts.isExportDeclaration(s) && !s.isTypeOnly && s.exportClause !== undefined && ts.isNamedExports(s.exportClause)) {
        for (const e of s.exportClause.elements) if (!e.isTypeOnly) names.set(e.name.text, e.name);
      } else if (!has(ts.SyntaxKind.ExportKeyword)) continue;
      else if (ts.isFunctionDeclaration(s)) names.set(has(ts.SyntaxKind.DefaultKeyword) ? 'default' : s.name.text, s.name ?? s);
      else if (ts.isVariableStatement(s)) for (const d of s.declarationList.declarations) if (ts.isIdentifier(d.name)) names.set(d.name.text, d.name);
    }
    return names;
  }

  // pick finds the function that will be called, as guest/bridge.js does.
  function pick(names, want) {
    const plain = name => name.replaceAll('_', '').toLowerCase();
    for (const name of [want, 'default', 'run']) if (name !== '' && names.has(name)) return name;
    const alike = want === '' ? [] : [...names.keys()].filter(k => plain(k) === plain(want));
    if (alike.length === 1) return alike[0];
    return names.size === 1 ? [...names.keys()][0] : undefined;
  }

  const place = (file, at) => {
    const { line, character } = ts.getLineAndCharacterOfPosition(file, at);
    return { file: file.fileName, line: line + 1, character };
  };

  // tell writes a diagnostic. One about the generated call of the signature is
  // about the function it calls.
  function tell(d, moved) {
    const lines = ts.flattenDiagnosticMessageText(d.messageText, '\n').split('\n');
    const at = d.file === undefined ? {} : d.file.fileName === sig ? moved : place(d.file, d.start ?? 0);
    const notes = lines.slice(1).map(text => ({ ...at, message: text.trimStart() }));
    for (const r of d.relatedInformation ?? []) {
      if (r.file !== undefined && (r.file.fileName.startsWith('/.lib/') || r.file.fileName === sig)) continue;
      notes.push({ ...r.file === undefined ? at : place(r.file, r.start ?? 0), message: ts.flattenDiagnosticMessageText(r.messageText, ' ').trim() });
    }
    return { ...at, code: d.code, message: lines[0], notes };
  }

  function serve(request) {
    const chosen = choose(request.readings, request.body), reading = request.readings[chosen];
    const texts = new Map([[block, reading.text]]);
    const roots = [];
    for (const [i, earlier] of (request.session ?? []).entries()) {
      const at = `/.session/${i}.ts`;
      // What a body that returns declares is gone when it ends.
      const gone = topLevel(ts.createSourceFile('/body.ts', earlier.text, { languageVersion: base.target })).return;
      texts.set(at, gone ? earlier.vars : `${earlier.vars}${earlier.text}`);
      roots.push(at);
    }
    if (reading.vars !== '') {
      texts.set(vars, reading.vars);
      roots.push(vars);
    }
    roots.push(block);
    let moved;
    if (request.type !== '') {
      const names = exported(ts.createSourceFile(block, reading.text, { languageVersion: base.target }, true));
      const name = pick(names, request.func);
      if (name !== undefined) {
        texts.set(sig, `import * as block from './block';\n${request.prelude}\nconst call: ${request.type} = block[${JSON.stringify(name)}];\n`);
        roots.push(sig);
        const node = names.get(name);
        moved = place(node.getSourceFile(), node.getStart());
      }
    }
    const options = { ...base, moduleDetection: reading.kind === 'module' ? ts.ModuleDetectionKind.Force : ts.ModuleDetectionKind.Legacy };
    const program = ts.createProgram({ rootNames: ['/.lib/guest.d.ts', ...roots], options, host: hostOf(texts) });
    const written = program.getSourceFiles().filter(f => !f.isDeclarationFile && !f.fileName.includes('/node_modules/') && !f.fileName.startsWith('/.session/'));
    let found = written.flatMap(f => [...program.getSyntacticDiagnostics(f)]);
    if (found.length === 0) found = [...program.getGlobalDiagnostics(), ...written.flatMap(f => [...program.getSemanticDiagnostics(f)])];
    const reply = { reading: chosen, diagnostics: found.filter(d => d.category === ts.DiagnosticCategory.Error).map(d => tell(d, moved)), files: [] };
    if (reply.diagnostics.length > 0) return reply;
    for (const file of written) {
      if (file.fileName === sig || !/\.[mc]?ts$/.test(file.fileName)) continue;
      const made = { file: file.fileName.slice(1) };
      program.emit(file, (path, text) => {
        if (path.endsWith('.map')) made.mappings = JSON.parse(text).mappings;
        else [made.out, made.text] = [path.slice(outDir.length), text.replace(/\/\/# sourceMappingURL=.*\n?$/, '')];
      });
      reply.files.push(made);
    }
    return reply;
  }
  globalThis.serve = request => JSON.stringify(serve(JSON.parse(request)));
})();
