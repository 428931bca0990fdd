// path: names of files, POSIX style.
(kit => {
  'use strict';

  function normalize(path) {
    if (path === '') return '.';
    const rooted = path.startsWith('/'), out = [];
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
      else if (part !== '..' || !rooted) out.push(part);
    }
    let text = out.join('/');
    if (path.endsWith('/') && text !== '') text += '/';
    return rooted ? '/' + text : text || (path.endsWith('/') ? './' : '.');
  }

  const path = {
    sep: '/', delimiter: ':', normalize,
    join: (...parts) => normalize(parts.filter(p => p !== '').join('/')),
    isAbsolute: p => p.startsWith('/'),
    resolve: (...parts) => {
      let at = '';
      for (const p of [process.cwd(), ...parts]) if (p !== '') at = p.startsWith('/') ? p : `${at}/${p}`;
      return normalize(at).replace(/(.)\/$/, '$1');
    },
    dirname: p => {
      const i = p.replace(/\/+$/, '').lastIndexOf('/');
      return i < 0 ? p.startsWith('/') ? '/' : '.' : i === 0 ? '/' : p.slice(0, i);
    },
    basename: (p, suffix = '') => {
      if (suffix !== '' && suffix === p) return '';
      const base = p.replace(/\/+$/, '').replace(/^.*\//, '');
      return suffix !== '' && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
    },
    extname: p => {
      const base = path.basename(p), i = base.lastIndexOf('.');
      return i <= 0 || base === '..' ? '' : base.slice(i);
    },
    relative: (from, to) => {
      const a = path.resolve(from).split('/').filter(Boolean), b = path.resolve(to).split('/').filter(Boolean);
      let same = 0;
      while (same < a.length && same < b.length && a[same] === b[same]) same++;
      return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
    },
    parse: p => {
      const base = path.basename(p), ext = path.extname(p), root = p.startsWith('/') ? '/' : '';
      const dir = path.dirname(p);
      return { root, dir: dir === '.' && !p.startsWith('./') ? '' : dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
    },
    format: o => {
      const dir = o.dir ?? o.root ?? '', base = o.base ?? `${o.name ?? ''}${o.ext ? o.ext.startsWith('.') ? o.ext : `.${o.ext}` : ''}`;
      return dir === '' ? base : dir === o.root ? dir + base : `${dir}/${base}`;
    },
    toNamespacedPath: p => p,
  };
  path.posix = path;
  kit.path = path;
})
