// The map: files around a circle, by folder, and a line for each pair that belongs together. It shows as many of the strongest pairs as
// there is room for names. Zooming in makes room for more; a folder shows its own.
function coupling({files, commits, pairs, all}) {
  const partners = files.map(() => []);
  pairs.forEach(([a, b, both, year]) => { partners[a].push([b, both, year]); partners[b].push([a, both, year]); });
  const state = {folder: '', zoom: 1, x: 0, y: 0, chosen: -1, shown: [], at: new Map()};
  const circle = svg('svg', {class: 'map', tabindex: 0, role: 'application', 'aria-label': 'Map of files that belong together. Arrow keys go from file to file, Enter opens the folder of a file, Backspace goes back, plus and minus zoom.'});
  const crumbs = el('nav', {class: 'crumbs', 'aria-label': 'Folder'}), note = el('p', {class: 'note'}), panel = el('aside', {class: 'panel', 'aria-live': 'polite'});
  const within = (p, folder) => !folder || p.startsWith(folder + '/');

  // The strongest pairs that fit. A folder takes the room of a file, for its name.
  function choose(room) {
    const taken = new Set(), dirs = new Set(), links = [];
    let candidates = 0;
    for (const pair of pairs) {
      const ends = [pair[0], pair[1]];
      if (!ends.some(f => within(files[f], state.folder))) continue;
      candidates++;
      const fresh = ends.filter(f => !taken.has(f)), folders = new Set(fresh.map(f => dirOf(files[f])).filter(d => !dirs.has(d)));
      if (taken.size + dirs.size + fresh.length + folders.size > room) continue;
      fresh.forEach(f => taken.add(f));
      folders.forEach(d => dirs.add(d));
      links.push(pair);
    }
    return {taken, links, candidates};
  }

  // Folders have colors by the part of their path in which they differ.
  const colors = new Map();
  function color(p) {
    const depth = state.folder ? state.folder.split('/').length : shared;
    const key = within(p, state.folder) ? p.split('/').slice(0, -1).slice(0, depth + 1).join('/') : '\0outside';
    return key === '\0outside' ? 'outside' : 'c' + (colors.has(key) ? colors.get(key) : (colors.set(key, colors.size % 8), colors.get(key)));
  }
  const shared = (() => { // folders that nearly all files are in say nothing
    let depth = 0;
    for (let most = ''; ; depth++) {
      const n = new Map();
      files.forEach(f => { const d = dirOf(f).split('/'); if (d.length > depth && within(f, most)) n.set(d.slice(0, depth + 1).join('/'), (n.get(d.slice(0, depth + 1).join('/')) || 0) + 1); });
      const [top] = [...n].sort((a, b) => b[1] - a[1]);
      if (!top || !top[0] || top[1] < .8 * files.length) return depth;
      most = top[0];
    }
  })();

  function draw() {
    const size = Math.max(340, Math.min(circle.parentNode ? circle.parentNode.clientWidth : 900, 1000)), names = Math.min(165, size * .19), R = size / 2 - names;
    const {taken, links, candidates} = choose(Math.floor(2 * Math.PI * R / 13 * state.zoom));
    const order = [...taken].sort((a, b) => { const x = files[a], y = files[b]; return dirOf(x) < dirOf(y) ? -1 : dirOf(x) > dirOf(y) ? 1 : x < y ? -1 : 1; });
    const slots = [];
    let last;
    for (const f of order) {
      const dir = dirOf(files[f]);
      if (dir !== last) { if (slots.length) slots.push({gap: true}); slots.push({dir, sample: files[f]}); }
      slots.push({file: f});
      last = dir;
    }
    const weight = s => s.gap ? .7 : 1, total = Math.max(24, slots.reduce((n, s) => n + weight(s), 0) + .7);
    const k = 1 / state.zoom, font = Math.min(12, 2 * Math.PI * R / total * state.zoom * .92) * k, letters = Math.floor((names - 16) / (font * .58));
    state.shown = order; state.at.clear(); colors.clear();
    const labels = svg('g', {class: 'names'}), lines = svg('g', {class: 'links'});
    let angle = -Math.PI / 2;
    for (const s of slots) {
      const a = angle + weight(s) / total * Math.PI, deg = a * 180 / Math.PI, left = Math.cos(a) < 0;
      angle += weight(s) / total * 2 * Math.PI;
      if (s.gap) continue;
      const turn = `translate(${size / 2},${size / 2}) rotate(${deg}) translate(${R + 9 * k},0)` + (left ? ' rotate(180)' : '');
      if (s.file === undefined) {
        labels.append(svg('text', {class: 'folder ' + color(s.sample), transform: turn, 'font-size': font, dy: '.35em', 'text-anchor': left ? 'end' : 'start', click: () => go(s.dir)},
          svg('title', {}, (s.dir || 'root folder') + ': show this folder'), tail(s.dir || '(root)', Math.floor(letters * .9))));
        continue;
      }
      state.at.set(s.file, a);
      const file = files[s.file];
      labels.append(svg('g', {class: 'leaf ' + color(file), 'data-file': s.file, click: e => { e.stopPropagation(); pick(s.file); }},
        svg('circle', {cx: size / 2 + R * Math.cos(a), cy: size / 2 + R * Math.sin(a), r: (1.8 + 2.6 * Math.min(1, Math.sqrt(commits[s.file]) / 14)) * k}),
        svg('text', {transform: turn, 'font-size': font, dy: '.35em', 'text-anchor': left ? 'end' : 'start'}, svg('title', {}, `${file}: ${plural(commits[s.file], 'commit')}`), clip(baseOf(file), letters))));
    }
    const most = Math.max(1, ...links.map(l => l[2]));
    for (const [a, b, both, year] of links.slice().reverse()) {
      const [s, t] = [state.at.get(a), state.at.get(b)];
      const apart = Math.min(Math.abs(s - t), 2 * Math.PI - Math.abs(s - t)), inner = R * Math.max(.1, 1 - apart / 1.9 * .9) * .97;
      const point = (angle, r) => `${(size / 2 + r * Math.cos(angle)).toFixed(1)},${(size / 2 + r * Math.sin(angle)).toFixed(1)}`;
      lines.append(svg('path', {class: (color(files[a]) === color(files[b]) ? color(files[a]) : 'across') + (year ? '' : ' old'), 'data-a': a, 'data-b': b,
        d: `M${point(s, R)} C${point(s, inner)} ${point(t, inner)} ${point(t, R)}`, 'stroke-width': ((.7 + 3.2 * Math.sqrt(both / most)) * k).toFixed(2)},
      svg('title', {}, `${files[a]} and ${files[b]}: ${plural(both, 'commit')} of both` + (year ? `, ${number(year)} in the last year` : ''))));
    }
    circle.replaceChildren(lines, labels);
    Object.assign(state, {size, R, first: links.length ? links[0][0] : -1});
    look();
    note.textContent = links.length === 0 ? 'No two files here share three commits.' :
      `${plural(order.length, 'file')} and ${plural(links.length, 'connection')}: the strongest of ${plural(candidates, 'connection')}` + (state.folder ? ` of ${state.folder}.` : ` in ${plural(all, 'file')}.`) +
      (links.length < candidates ? ' Zoom in or choose a folder to see more.' : '');
    mark();
  }
  // look moves the window over the map.
  function look() {
    const {size, zoom} = state, room = size / 2 - size / 2 / zoom;
    state.x = Math.max(-room, Math.min(room, state.x)); state.y = Math.max(-room, Math.min(room, state.y));
    circle.setAttribute('viewBox', `${size / 2 - size / 2 / zoom + state.x} ${size / 2 - size / 2 / zoom + state.y} ${size / zoom} ${size / zoom}`);
  }
  // zoom keeps the file in place that is chosen or nearest to a spot: more files on the circle move all others. Its middle is empty, so the
  // first step goes to the strongest pair.
  function zoom(by, spot) {
    const before = state.zoom, at = spot || [0, 0], [x, y] = [state.x + at[0] / before, state.y + at[1] / before];
    state.zoom = Math.max(1, Math.min(8, before * by));
    if (state.zoom === before) return;
    const far = ([, a]) => Math.hypot(state.R * Math.cos(a) - x, state.R * Math.sin(a) - y);
    let f = state.chosen;
    if (spot || !state.at.has(f)) f = spot || before > 1 ? [...state.at].reduce((best, file) => far(file) < far(best) ? file : best)[0] : state.first;
    draw();
    if (state.at.has(f)) [state.x, state.y] = [state.R * Math.cos(state.at.get(f)) - at[0] / state.zoom, state.R * Math.sin(state.at.get(f)) - at[1] / state.zoom];
    look();
  }
  // mark shows the connections of the chosen file, and dims the others.
  function mark() {
    const f = state.chosen, near = new Set([f]);
    for (const line of circle.querySelectorAll('.links path')) {
      const on = +line.dataset.a === f || +line.dataset.b === f;
      if (on) { near.add(+line.dataset.a); near.add(+line.dataset.b); }
      line.classList.toggle('on', on);
    }
    for (const leaf of circle.querySelectorAll('.leaf')) { leaf.classList.toggle('on', near.has(+leaf.dataset.file)); leaf.classList.toggle('chosen', +leaf.dataset.file === f); }
    circle.classList.toggle('picked', state.at.has(f));
    tell();
  }
  function pick(f) { state.chosen = f; if (!state.at.has(f)) { state.folder = dirOf(files[f]); state.zoom = 1; path(); draw(); } else mark(); }
  function go(folder) { state.folder = folder; state.zoom = 1; state.x = state.y = 0; if (!within(files[state.chosen] || '', folder)) state.chosen = -1; path(); draw(); }
  function path() {
    const parts = state.folder ? state.folder.split('/') : [];
    crumbs.replaceChildren(...['whole repository', ...parts].flatMap((p, i) => [i ? ' / ' : '', el('button', {type: 'button', 'aria-current': String(i === parts.length), click: () => go(parts.slice(0, i).join('/'))}, p)]));
    select.value = state.folder;
  }
  function tell() {
    const f = state.chosen, row = ([g, both, year], of) => el('li', {}, el('button', {type: 'button', click: () => pick(g)}, pathOf(files[g], 42)), bar(percent(both / of), [both / of, 'part']),
      el('small', {}, `${number(both)} of ${number(of)} commits` + (year ? `, ${number(year)} in the last year` : ', none in the last year')));
    if (f >= 0) {
      panel.replaceChildren(el('h3', {}, baseOf(files[f])), el('p', {class: 'dim'}, dirOf(files[f]) || 'root folder', el('br'), plural(commits[f], 'commit') + '. It changes together with:'),
        el('ol', {}, partners[f].slice(0, 12).map(p => row(p, commits[f]))), el('button', {type: 'button', class: 'plain', click: () => { state.chosen = -1; mark(); }}, 'Back to the strongest pairs'));
      return;
    }
    const strongest = pairs.filter(([a, b]) => within(files[a], state.folder) || within(files[b], state.folder)).slice(0, 10);
    panel.replaceChildren(el('h3', {}, 'Strongest pairs'), el('ol', {}, strongest.map(([a, b, both]) => el('li', {}, el('button', {type: 'button', click: () => pick(a)}, el('div', {}, pathOf(files[a], 42)), el('div', {}, pathOf(files[b], 42))),
      el('small', {}, `${number(both)} of ${number(Math.max(commits[a], commits[b]))} commits`)))), el('p', {class: 'dim'}, 'Choose a file to see what it changes with, or the name of a folder to go into it.'));
  }

  const folders = new Map();
  files.forEach(f => { for (let d = dirOf(f); d; d = dirOf(d)) folders.set(d, (folders.get(d) || 0) + 1); });
  const listed = [...folders].filter(([, n]) => n > 1).sort((a, b) => b[1] - a[1]).slice(0, 300).sort((a, b) => a[0] < b[0] ? -1 : 1);
  const select = el('select', {'aria-label': 'Folder', change: () => go(select.value)}, el('option', {value: ''}, 'whole repository'), listed.map(([d, n]) => el('option', {value: d}, `${d} (${n})`)));
  const find = el('input', {type: 'search', placeholder: 'find a file', 'aria-label': 'Find a file', list: 'files', change: () => {
    const want = find.value.toLowerCase(), f = files.indexOf(find.value) >= 0 ? files.indexOf(find.value) : files.findIndex(x => want && x.toLowerCase().includes(want));
    if (f >= 0) pick(f);
    find.setCustomValidity(want && f < 0 ? 'no such file on the map' : '');
    find.reportValidity();
  }});
  const button = (text, label, click) => el('button', {type: 'button', 'aria-label': label, title: label, click}, text);

  circle.addEventListener('click', () => { if (state.chosen >= 0 && !state.moved) { state.chosen = -1; mark(); } });
  circle.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    const box = circle.getBoundingClientRect();
    zoom(e.deltaY < 0 ? 1.25 : .8, [(e.clientX - box.left - box.width / 2) * state.size / box.width, (e.clientY - box.top - box.height / 2) * state.size / box.height]);
  }, {passive: false});
  circle.addEventListener('pointerdown', e => { state.drag = [e.clientX, e.clientY, state.x, state.y]; state.moved = false; });
  circle.addEventListener('pointermove', e => {
    if (!state.drag || state.zoom === 1) return;
    const per = state.size / state.zoom / circle.clientWidth, [x, y, sx, sy] = state.drag;
    state.moved = state.moved || Math.hypot(e.clientX - x, e.clientY - y) > 4;
    state.x = sx - (e.clientX - x) * per; state.y = sy - (e.clientY - y) * per;
    look();
  });
  addEventListener('pointerup', () => { state.drag = null; });
  circle.addEventListener('keydown', e => {
    const n = state.shown.length, at = state.shown.indexOf(state.chosen), step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
    if (step && n) pick(state.shown[at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n]);
    else if (e.key === 'Enter' && state.chosen >= 0) go(dirOf(files[state.chosen]));
    else if (e.key === 'Backspace') go(dirOf(state.folder));
    else if (e.key === 'Escape') { state.chosen = -1; mark(); }
    else if (e.key === '+' || e.key === '=') zoom(1.25);
    else if (e.key === '-') zoom(.8);
    else if (e.key === '0') zoom(1 / 8);
    else return;
    e.preventDefault();
  });
  const root = el('div', {class: 'coupling'}, el('div', {class: 'tools'}, crumbs, select, find, el('datalist', {id: 'files'}, files.slice(0, 3000).map(f => el('option', {value: f}))),
    button('−', 'Zoom out', () => zoom(.8)), button('+', 'Zoom in', () => zoom(1.25))), el('div', {class: 'stage'}, el('div', {class: 'canvas'}, circle), panel), note);
  new ResizeObserver(() => { if (circle.parentNode.clientWidth !== state.width) { state.width = circle.parentNode.clientWidth; draw(); } }).observe(circle.parentNode);
  path();
  draw();
  return root;
}
