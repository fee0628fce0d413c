// The map: files around a circle, by folder, and a line for each pair that belongs together. It shows as many of the strongest pairs as
// there is room for names. Zooming in makes room for more; a folder shows its own.

const within = (file, folder) => !folder || file.startsWith(folder + '/');

// strongest takes the first pairs that fit into a number of names, of those with a file in the folder. A folder is a name as well.
function strongest({files, pairs}, folder, room) {
  const taken = new Set(), dirs = new Set(), links = [];
  let candidates = 0;
  for (const pair of pairs) {
    const ends = [pair[0], pair[1]];
    if (!ends.some(f => within(files[f], folder))) continue;
    candidates++;
    const fresh = ends.filter(f => !taken.has(f));
    const folders = new Set(fresh.map(f => dirOf(files[f])).filter(d => !dirs.has(d)));
    if (taken.size + fresh.length + 1.7 * (dirs.size + folders.size) > room) continue; // 0.7: the gap before a folder
    fresh.forEach(f => taken.add(f));
    folders.forEach(d => dirs.add(d));
    links.push(pair);
  }
  return {taken: [...taken], links, candidates};
}

// commonDepth is the number of folders that nearly all files are in: they say nothing.
function commonDepth(files) {
  for (let depth = 0, common = ''; ; depth++) {
    const count = new Map();
    for (const file of files.filter(f => within(f, common))) {
      const parts = dirOf(file).split('/');
      if (parts.length <= depth) continue;
      const folder = parts.slice(0, depth + 1).join('/');
      count.set(folder, (count.get(folder) || 0) + 1);
    }
    const [top] = [...count].sort((a, b) => b[1] - a[1]);
    if (!top || !top[0] || top[1] < 0.8 * files.length) return depth;
    common = top[0];
  }
}

// slotsOf orders files by folder. A slot is the name of a folder, a file, or a gap between two folders; turns sums up their room.
function slotsOf(files, taken) {
  const key = f => [dirOf(files[f]), files[f]];
  const order = taken.map(key).map((k, i) => [...k, taken[i]]);
  order.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : 1));
  const slots = [];
  let last;
  for (const [dir, , file] of order) {
    if (dir !== last && slots.length) slots.push({room: 0.7});
    if (dir !== last) slots.push({room: 1, dir, file, folder: true});
    slots.push({room: 1, dir, file});
    last = dir;
  }
  const total = Math.max(24, 0.7 + slots.reduce((n, s) => n + s.room, 0));
  let turn = 0;
  for (const s of slots) {
    s.angle = ((turn + s.room / 2) / total) * 2 * Math.PI - Math.PI / 2;
    turn += s.room;
  }
  return {slots, total};
}

class CouplingMap {
  constructor(data) {
    Object.assign(this, data, {folder: '', zoom: 1, x: 0, y: 0, chosen: -1, shown: [], at: new Map()});
    this.partners = this.files.map(() => []);
    for (const [a, b, both, year] of this.pairs) {
      this.partners[a].push([b, both, year]);
      this.partners[b].push([a, both, year]);
    }
    this.common = commonDepth(this.files);
    this.svg = svg('svg', {class: 'map', tabindex: 0, role: 'application', 'aria-label': MAP_HELP});
    this.controls = new MapControls(this);
    this.root = this.controls.root;
    this.go('');
  }

  // color is the class of a file's color: that of the part of its path in which the folders on the map differ.
  color(file) {
    if (!within(file, this.folder)) return 'outside';
    const depth = this.folder ? this.folder.split('/').length : this.common;
    const key = dirOf(file).split('/').slice(0, depth + 1).join('/');
    if (!this.colors.has(key)) this.colors.set(key, 'c' + (this.colors.size % 8));
    return this.colors.get(key);
  }

  draw() {
    const width = this.svg.parentNode ? this.svg.parentNode.clientWidth : 900;
    const size = Math.max(340, Math.min(width, 1000)), names = Math.min(165, Math.max(112, size * 0.19)), R = size / 2 - names, k = 1 / this.zoom;
    const {taken, links, candidates} = strongest(this, this.folder, Math.floor(((2 * Math.PI * R) / 13) * this.zoom));
    const {slots, total} = slotsOf(this.files, taken);
    const font = Math.min(12, ((2 * Math.PI * R) / total) * this.zoom * 0.92) * k;
    Object.assign(this, {size, R, k, font, colors: new Map()});
    this.letters = Math.floor((names - 16) / (font * 0.58));
    this.first = links.length ? links[0][0] : -1;
    this.at = new Map(slots.filter(s => s.file !== undefined && !s.folder).map(s => [s.file, s.angle]));
    this.shown = [...this.at.keys()];
    this.beside = this.shown.map(f => this.files[f]);
    const labels = svg('g', {class: 'names'}, slots.filter(s => s.file !== undefined).map(s => (s.folder ? this.folderName(s) : this.leaf(s))));
    const most = Math.max(1, ...links.map(l => l[2]));
    const lines = svg('g', {class: 'links'}, [...links].reverse().map(l => this.line(l, most)));
    this.svg.replaceChildren(lines, labels);
    this.look();
    this.controls.count(taken.length, links.length, candidates);
    this.mark();
  }

  // name places a text beside the circle, to be read from the left.
  name(angle, attrs, ...kids) {
    const left = Math.cos(angle) < 0, half = this.size / 2;
    const turn = `rotate(${(angle * 180) / Math.PI}) translate(${this.R + 9 * this.k},0)` + (left ? ' rotate(180)' : '');
    const transform = `translate(${half},${half}) ${turn}`;
    return svg('text', {transform, 'font-size': this.font, dy: '.35em', 'text-anchor': left ? 'end' : 'start', ...attrs}, ...kids);
  }

  folderName({angle, dir, file}) {
    const title = svg('title', {}, (dir || 'root folder') + ': show this folder');
    const attrs = {class: 'folder ' + this.color(this.files[file]), click: () => this.go(dir)};
    return this.name(angle, attrs, title, this.folderText(dir || '(root)'));
  }

  // folderText is a folder, or its last two parts: of the last alone there are many.
  folderText(dir) {
    const room = Math.floor(this.letters * 0.9);
    return dir.length <= room ? dir : clip(dir.split('/').slice(-2).join('/'), room);
  }

  leaf({angle, file}) {
    const path = this.files[file], commits = this.commits[file], half = this.size / 2;
    const r = (1.8 + 2.6 * Math.min(1, Math.sqrt(commits) / 14)) * this.k;
    const pick = e => {
      e.stopPropagation();
      this.pick(file);
    };
    return svg('g', {class: 'leaf ' + this.color(path), 'data-file': file, click: pick},
      svg('circle', {cx: half + this.R * Math.cos(angle), cy: half + this.R * Math.sin(angle), r}),
      this.name(angle, {}, svg('title', {}, `${path}: ${plural(commits, 'commit')}`), clip(nameOf(path, this.beside), this.letters)));
  }

  // line joins two files. The farther they are apart, the nearer it comes to the middle.
  line([a, b, both, year], most) {
    const [s, t] = [this.at.get(a), this.at.get(b)], half = this.size / 2;
    const apart = Math.min(Math.abs(s - t), 2 * Math.PI - Math.abs(s - t)), inner = this.R * 0.97 * Math.max(0.1, 1 - (apart / 1.9) * 0.9);
    const point = (angle, r) => `${(half + r * Math.cos(angle)).toFixed(1)},${(half + r * Math.sin(angle)).toFixed(1)}`;
    const own = this.color(this.files[a]), color = own === this.color(this.files[b]) ? own : 'across';
    const d = `M${point(s, this.R)} C${point(s, inner)} ${point(t, inner)} ${point(t, this.R)}`;
    const wide = ((0.7 + 3.2 * Math.sqrt(both / most)) * this.k).toFixed(2);
    return svg('path', {class: color + (year ? '' : ' old'), 'data-a': a, 'data-b': b, d, 'stroke-width': wide},
      svg('title', {}, `${this.files[a]} and ${this.files[b]}: ${plural(both, 'commit')} of both` + (year ? `, ${number(year)} in the last year` : '')));
  }

  // look moves the window over the map.
  look() {
    const half = this.size / 2, seen = half / this.zoom, room = half - seen;
    this.x = Math.max(-room, Math.min(room, this.x));
    this.y = Math.max(-room, Math.min(room, this.y));
    this.svg.setAttribute('viewBox', `${half - seen + this.x} ${half - seen + this.y} ${2 * seen} ${2 * seen}`);
  }

  // zoomBy keeps the file in place that is chosen or nearest to a spot: more files on the circle move all others. Its middle is empty, so
  // the first step goes to the strongest pair.
  zoomBy(factor, spot) {
    const before = this.zoom, at = spot || [0, 0], x = this.x + at[0] / before, y = this.y + at[1] / before;
    this.zoom = Math.max(1, Math.min(8, before * factor));
    if (this.zoom === before) return;
    let file = this.chosen;
    if (spot || !this.at.has(file)) file = spot || before > 1 ? this.nearest(x, y) : this.first;
    this.draw();
    if (this.at.has(file)) {
      const angle = this.at.get(file);
      this.x = this.R * Math.cos(angle) - at[0] / this.zoom;
      this.y = this.R * Math.sin(angle) - at[1] / this.zoom;
    }
    this.look();
  }

  nearest(x, y) {
    const far = ([, a]) => Math.hypot(this.R * Math.cos(a) - x, this.R * Math.sin(a) - y);
    return [...this.at].reduce((best, file) => (far(file) < far(best) ? file : best))[0];
  }

  // mark shows the connections of the chosen file, and dims the others.
  mark() {
    const near = new Set([this.chosen]);
    for (const line of this.svg.querySelectorAll('.links path')) {
      const ends = [+line.dataset.a, +line.dataset.b], on = ends.includes(this.chosen);
      if (on) ends.forEach(f => near.add(f));
      line.classList.toggle('on', on);
    }
    for (const leaf of this.svg.querySelectorAll('.leaf')) {
      leaf.classList.toggle('on', near.has(+leaf.dataset.file));
      leaf.classList.toggle('chosen', +leaf.dataset.file === this.chosen);
    }
    this.svg.classList.toggle('picked', this.at.has(this.chosen));
    this.controls.tell();
  }

  pick(file) {
    this.chosen = file;
    if (file >= 0 && !this.at.has(file)) this.go(dirOf(this.files[file]));
    else this.mark();
  }

  go(folder) {
    Object.assign(this, {folder, zoom: 1, x: 0, y: 0});
    if (!within(this.files[this.chosen] || '', folder)) this.chosen = -1;
    this.controls.path();
    this.draw();
  }
}
