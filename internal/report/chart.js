// Charts: plain SVG in units of its viewBox. x and y map values to places.
const scale = (from, to, a, b) => v => a + ((v - from) / (to - from || 1)) * (b - a);
const logScale = (from, to, a, b) => {
  const s = scale(Math.log(from), Math.log(to), a, b);
  return v => s(Math.log(v));
};

function frame(title, w, h, xTicks, yTicks, xName, yName) {
  const svgNode = svg('svg', {class: 'chart', viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': title});
  for (const [y, text] of yTicks)
    svgNode.append(svg('line', {class: 'grid', x1: 46, x2: w - 10, y1: y, y2: y}), svg('text', {x: 40, y: y + 4, class: 'end'}, text));
  for (const [x, text] of xTicks) svgNode.append(svg('text', {x, y: h - 24, class: 'mid'}, text));
  svgNode.append(svg('text', {x: (w + 36) / 2, y: h - 6, class: 'mid name'}, xName), svg('text', {x: 4, y: 14, class: 'name'}, yName));
  return svgNode;
}

// Points in [0,1] against each other, joined by lines. Series: [name, class, points], a point: [x, y, number, note].
function plot(title, xName, yName, series) {
  const W = 600,
    H = 380,
    x = scale(0, 1, 46, W - 24),
    y = scale(0, 1, H - 42, 26);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const chart = frame(
    title,
    W,
    H,
    ticks.map(t => [x(t), percent(t)]),
    ticks.map(t => [y(t), percent(t)]),
    xName,
    yName,
  );
  chart.append(svg('line', {class: 'ideal', x1: x(0), y1: y(0), x2: x(1), y2: y(1)}));
  series.forEach(([name, cls, points], i) => {
    const most = Math.max(1, ...points.map(p => p[2])),
      at = x(0) + 14;
    chart.append(svg('polyline', {class: 'line ' + cls, points: points.map(p => x(p[0]) + ',' + y(p[1])).join(' ')}));
    for (const [px, py, n, note] of points)
      chart.append(svg('circle', {class: 'dot ' + cls, cx: x(px), cy: y(py), r: 3 + 5 * Math.sqrt(n / most)}, svg('title', {}, note)));
    chart.append(svg('circle', {class: 'dot ' + cls, cx: at, cy: 38 + 18 * i, r: 5}), svg('text', {x: at + 12, y: 42 + 18 * i}, name));
  });
  return chart;
}
// What was promised against what came true. Series: [name, class, bars].
const reliabilityChart = series =>
  plot(
    'What was promised, and what came true',
    'aOa said',
    'it came true',
    series.map(([name, cls, bars]) => [
      name,
      cls,
      bars.map(b => [b.p, b.used, b.n, `${number(b.n)} times aOa said ${percent(b.p)}: it came true ${percent(b.used)} of the time`]),
    ]),
  );

// Bars of right and wrong predictions over time.
function weeks(list, months, right, wrong) {
  const W = 600,
    H = 380,
    most = Math.max(1, ...list.map(w => w.right + w.wrong));
  const step = 10 ** Math.floor(Math.log10(most)),
    top = Math.ceil(most / step) * step;
  const x = scale(0, list.length, 50, W - 10),
    y = scale(0, top, H - 42, 26);
  const every = Math.ceil(list.length / 6),
    label = w =>
      new Date(w.from).toLocaleDateString('en-GB', {month: 'short', timeZone: 'UTC', ...(months ? {year: '2-digit'} : {day: 'numeric'})});
  const chart = frame(
    `${right} and ${wrong} by ${months ? 'month' : 'week'}`,
    W,
    H,
    list.map((w, i) => [(x(i) + x(i + 1)) / 2, label(w)]).filter(([at], i) => i % every === 0 && at < W - 24),
    [0, top / 2, top].filter(Number.isInteger).map(t => [y(t), number(t)]),
    '',
    months ? 'by month' : 'by week',
  );
  const wide = Math.min(46, (x(1) - x(0)) * 0.8);
  list.forEach((w, i) => {
    const at = (x(i) + x(i + 1) - wide) / 2,
      note = `${label(w)}: ${number(w.right)} ${right}, ${number(w.wrong)} ${wrong}`;
    chart.append(
      svg(
        'g',
        {},
        svg('title', {}, note),
        svg('rect', {class: 'right', x: at, width: wide, y: y(w.right), height: y(0) - y(w.right)}),
        svg('rect', {class: 'wrong', x: at, width: wide, y: y(w.right + w.wrong), height: y(w.right) - y(w.right + w.wrong)}),
      ),
    );
  });
  [
    ['right', right],
    ['wrong', wrong],
  ].forEach(([cls, text], i) =>
    chart.append(
      svg('rect', {class: cls, x: W - 190 + 95 * i, y: 5, width: 10, height: 10}),
      svg('text', {x: W - 175 + 95 * i, y: 14}, text),
    ),
  );
  return chart;
}

// Files by length and by commits: the dear ones are at the top right. Labels that would overlap are left to the titles.
function scatter(files) {
  const narrow = innerWidth < 560,
    W = narrow ? 380 : 1300,
    H = narrow ? 420 : 480,
    names = files.map(f => f.file),
    long = Math.max(100, ...files.map(f => f.lines)),
    often = Math.max(4, ...files.map(f => f.commits));
  const x = logScale(Math.max(1, Math.min(...files.map(f => f.lines))), long * 1.3, 50, W - 14),
    y = logScale(1.8, often * 1.2, H - 42, 26);
  const xs = [1, 10, 100, 1000, 10000, 100000].filter(t => x(t) >= 46 && x(t) < W - 10),
    ys = [2, 5, 10, 20, 50, 100, 200, 500, 1000].filter(t => t <= often * 1.2);
  const chart = frame(
    'Files by length and number of commits',
    W,
    H,
    xs.map(t => [x(t), number(t)]),
    ys.map(t => [y(t), number(t)]),
    'lines',
    'commits in the last year',
  );
  const boxes = files.slice(0, 80).map((f, i) => ({x: x(f.lines) - 8, y: y(f.commits) - 8, w: 16, h: 16, i}));
  const free = (box, i) =>
    boxes.every(t => t.i === i || box.x > t.x + t.w || t.x > box.x + box.w || box.y > t.y + t.h || t.y > box.y + box.h);
  files.forEach((f, i) => {
    const cx = x(f.lines),
      cy = y(f.commits),
      heat = 1 - i / files.length;
    chart.append(
      svg(
        'circle',
        {class: 'heat', cx, cy, r: 3 + 6 * heat, opacity: (0.25 + 0.65 * heat).toFixed(2)},
        svg('title', {}, `${f.file}: ${plural(f.commits, 'commit')}, ${plural(f.lines, 'line')}`),
      ),
    );
    const text = clip(nameOf(f.file, names), narrow ? 22 : 30),
      wide = 7 * [...text].length;
    for (const left of i < (narrow ? 12 : 40) ? [false, true] : []) {
      const box = {x: left ? cx - wide - 11 : cx + 11, y: cy - 7, w: wide, h: 14, i: -1};
      if (box.x < 50 || box.x + wide > W || !free(box, i)) continue;
      boxes.push(box);
      chart.append(svg('text', {class: left ? 'end name' : 'name', x: left ? cx - 11 : cx + 11, y: cy + 4}, text));
      break;
    }
  });
  return chart;
}
