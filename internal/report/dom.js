'use strict';
// Every name of the repository becomes text here. Nothing in this script parses HTML.
const SVG = document.querySelector('svg').namespaceURI;

function fill(node, attrs, kids) {
  for (const [name, value] of Object.entries(attrs || {})) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...kids.flat(Infinity).filter(k => k !== undefined && k !== null && k !== false));
  return node;
}
const el = (tag, attrs, ...kids) => fill(document.createElement(tag), attrs, kids);
const svg = (tag, attrs, ...kids) => fill(document.createElementNS(SVG, tag), attrs, kids);

const number = n => n.toLocaleString('en-US');
const percent = x => Math.round(100 * x) + '\u00a0%';
const plural = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');
const day = t => new Date(t).toLocaleDateString('en-GB', {day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC'});
const dirOf = p => p.slice(0, Math.max(0, p.lastIndexOf('/')));
const baseOf = p => p.slice(p.lastIndexOf('/') + 1);

// clip cuts a name in its middle: its end tells most.
function clip(s, n) {
  const c = [...s];
  return c.length <= n ? s : c.slice(0, Math.floor(n / 2) - 1).join('') + '…' + c.slice(c.length - Math.ceil(n / 2)).join('');
}

// tail keeps the last parts of a folder, whole where they fit.
function tail(s, n) {
  if ([...s].length <= n) return s;
  const cut = s.slice(-(n - 2)), at = cut.indexOf('/');
  return '…' + (at >= 0 && at < n / 2 ? cut.slice(at) : cut);
}

// pathOf is a path in n characters if its name has fewer.
function pathOf(p, n = 58) {
  const dir = dirOf(p), base = baseOf(p);
  return el('span', {class: 'path', title: p}, dir && el('span', {class: 'dir'}, (tail(dir, Math.max(14, n - base.length)) + '/').split(/(?<=\/)/).flatMap(part => [part, el('wbr')])),
    el('span', {class: 'base'}, base));
}

// linked is a path that leads to what the file changes with, if the map knows it.
let map = null;
function linked(p, n) {
  const file = map ? map.files.indexOf(p) : -1;
  return file < 0 ? pathOf(p, n) : el('a', {href: '#together', 'aria-label': p + ': what it changes with', click: () => map.pick(file)}, pathOf(p, n));
}

// table: heads are [text, class].
function table(heads, rows, label) {
  const head = el('tr', {}, heads.map(([text, cls]) => el('th', {scope: 'col', class: cls}, text)));
  const row = cells => el('tr', {}, cells.map((cell, i) => el('td', {class: heads[i][1]}, cell)));
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label},
    el('table', {}, el('thead', {}, head), el('tbody', {}, rows.map(row))));
}

// bar is a bar of parts, [share, class] each.
function bar(title, ...parts) {
  const out = svg('svg', {class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': title},
    svg('title', {}, title), svg('rect', {class: 'rest', width: 100, height: 10}));
  let at = 0;
  for (const [share, cls] of parts) {
    out.append(svg('rect', {class: cls, x: at, width: 100 * share, height: 10}));
    at += 100 * share;
  }
  return out;
}

// nameOf is the name of a file, with its folder where another of the files is called so.
const nameOf = (p, files) => (files.some(f => f !== p && baseOf(f) === baseOf(p)) ? (baseOf(dirOf(p)) || '.') + '/' : '') + baseOf(p);
const lead = (...kids) => el('p', {class: 'lead'}, ...kids);
const tile = (value, text) => el('div', {class: 'tile'}, el('b', {}, value), el('span', {}, text));
