// What stands around the map: the folder, the search, the keys and the pointer, and the panel about the chosen file.

const MAP_HELP = 'Map of files that belong together. Arrow keys go from file to file, Enter opens the folder of a file, Backspace goes back, ' +
  'Escape leaves the file, plus and minus zoom.';

class MapControls {
  constructor(map) {
    this.map = map;
    this.crumbs = el('nav', {class: 'crumbs', 'aria-label': 'Folder'});
    this.note = el('p', {class: 'note'});
    this.panel = el('aside', {class: 'panel', 'aria-live': 'polite'});
    this.folders = this.select();
    const button = (text, label, click) => el('button', {type: 'button', 'aria-label': label, title: label, click}, text);
    this.root = el('div', {class: 'coupling'},
      el('div', {class: 'tools'}, this.crumbs, this.folders, this.search(),
        button('−', 'Zoom out', () => map.zoomBy(0.8)), button('+', 'Zoom in', () => map.zoomBy(1.25))),
      el('div', {class: 'stage'}, el('div', {class: 'canvas'}, map.svg), this.panel), this.note);
    this.pointer();
    map.svg.addEventListener('keydown', e => this.key(e));
    const canvas = map.svg.parentNode;
    new ResizeObserver(() => {
      if (canvas.clientWidth !== this.width) map.draw();
      this.width = canvas.clientWidth;
    }).observe(canvas);
  }

  // select has the folders with two files or more.
  select() {
    const {files} = this.map, count = new Map();
    for (const file of files) for (let d = dirOf(file); d; d = dirOf(d)) count.set(d, (count.get(d) || 0) + 1);
    const listed = [...count].filter(([, n]) => n > 1).sort((a, b) => b[1] - a[1]).slice(0, 300).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    return el('select', {'aria-label': 'Folder', change: e => this.map.go(e.target.value)}, el('option', {value: ''}, 'whole repository'),
      listed.map(([d, n]) => el('option', {value: d}, `${d} (${n})`)));
  }

  search() {
    const {files} = this.map;
    const find = e => {
      const want = e.target.value.toLowerCase(), whole = files.indexOf(e.target.value);
      const file = whole >= 0 ? whole : files.findIndex(f => want && f.toLowerCase().includes(want));
      if (file >= 0) this.map.pick(file);
      e.target.setCustomValidity(want && file < 0 ? 'no such file on the map' : '');
      e.target.reportValidity();
    };
    return [el('input', {type: 'search', placeholder: 'find a file', 'aria-label': 'Find a file', list: 'files', change: find}),
      el('datalist', {id: 'files'}, files.slice(0, 3000).map(f => el('option', {value: f})))];
  }

  // key: the keyboard does what the pointer does.
  key(e) {
    const map = this.map, n = map.shown.length, at = map.shown.indexOf(map.chosen);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key], zoom = {'+': 1.25, '=': 1.25, '-': 0.8, 0: 1 / 8}[e.key];
    if (step && n) map.pick(map.shown[at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n]);
    else if (zoom) map.zoomBy(zoom);
    else if (e.key === 'Enter' && map.chosen >= 0) map.go(dirOf(map.files[map.chosen]));
    else if (e.key === 'Backspace') map.go(dirOf(map.folder));
    else if (e.key === 'Escape') map.pick(-1);
    else return;
    e.preventDefault();
  }

  // pointer: a click beside a file leaves it, dragging moves the map, the wheel zooms with Ctrl or by pinching; alone it scrolls the page.
  pointer() {
    const map = this.map;
    let drag = null, moved = false;
    map.svg.addEventListener('click', () => moved || map.chosen < 0 || map.pick(-1));
    map.svg.addEventListener('pointerdown', e => {
      drag = [e.clientX, e.clientY, map.x, map.y];
      moved = false;
    });
    map.svg.addEventListener('pointermove', e => {
      if (!drag || map.zoom === 1) return;
      const [dx, dy] = [e.clientX - drag[0], e.clientY - drag[1]], per = map.size / map.zoom / map.svg.clientWidth;
      moved = moved || Math.hypot(dx, dy) > 4;
      map.x = drag[2] - dx * per;
      map.y = drag[3] - dy * per;
      map.look();
    });
    addEventListener('pointerup', () => (drag = null));
    map.svg.addEventListener('wheel', e => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      const box = map.svg.getBoundingClientRect(), per = map.size / box.width;
      map.zoomBy(e.deltaY < 0 ? 1.25 : 0.8, [(e.clientX - box.left - box.width / 2) * per, (e.clientY - box.top - box.height / 2) * per]);
    }, {passive: false});
  }

  path() {
    const parts = this.map.folder ? this.map.folder.split('/') : [];
    this.crumbs.replaceChildren(...['whole repository', ...parts].flatMap((part, i) => [i ? ' / ' : '',
      el('button', {type: 'button', 'aria-current': String(i === parts.length), click: () => this.map.go(parts.slice(0, i).join('/'))}, part)]));
    this.folders.value = this.map.folder;
  }

  count(files, links, candidates) {
    const {folder, all} = this.map;
    const of = plural(candidates, 'connection') + (folder ? ` of ${folder}.` : ` in ${plural(all, 'file')}.`);
    const more = links < candidates ? ' Zoom in or choose a folder to see more.' : '';
    this.note.textContent = !links ? 'No two files here share three commits.'
      : `${plural(files, 'file')} and ${plural(links, 'connection')}: the strongest of ${of}${more}`;
  }

  // tell fills the panel: the partners of the chosen file, else the strongest pairs.
  tell() {
    const {files, commits, chosen} = this.map;
    const pick = (file, ...kids) => el('button', {type: 'button', click: () => this.map.pick(file)}, ...kids);
    if (chosen < 0) {
      const pairs = this.map.pairs.filter(([a, b]) => within(files[a], this.map.folder) || within(files[b], this.map.folder)).slice(0, 10);
      this.panel.replaceChildren(el('h3', {}, 'Strongest pairs'), el('ol', {}, pairs.map(([a, b, both, year]) => el('li', {},
        pick(a, el('div', {}, pathOf(files[a], 42)), el('div', {}, pathOf(files[b], 42))),
        el('small', {}, `${number(both)} of ${number(Math.min(commits[a], commits[b]))} commits, ${year ? number(year) : 'none'} in the last year`)))),
      el('p', {class: 'dim'}, 'Choose a file to see what it changes with, or the name of a folder to go into it.'));
      return;
    }
    const all = commits[chosen], partners = this.map.partners[chosen].slice(0, 12);
    this.panel.replaceChildren(el('h3', {}, baseOf(files[chosen])),
      el('p', {class: 'dim'}, dirOf(files[chosen]) || 'root folder', el('br'), plural(all, 'commit') + '. It changes together with:'),
      el('ol', {}, partners.map(([file, both, year]) => el('li', {}, pick(file, pathOf(files[file], 42)), bar(percent(both / all), [both / all, 'part']),
        el('small', {}, `${number(both)} of ${number(all)} commits, ${year ? number(year) : 'none'} in the last year`)))),
      pick(-1, 'Back to the strongest pairs'));
  }
}
