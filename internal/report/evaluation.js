// An evaluation (aoa eval --html): each repository, and their mean. docs/evaluation.md defines T1 to T4.
const TASKS = [
  {id: 'T1', name: 'at a prompt: files of the turn', heads: ['one among five', 'share among ten'], of: t => [t.any5, t.recall10]},
  {id: 'T2', name: 'next file, not mentioned before', heads: ['first', 'among five'], of: t => [t.hit1, t.hit5]},
  {id: 'T3', name: 'next file, seen in a listing', heads: ['first', 'among five'], of: t => [t.hit1, t.hit5]},
  {id: 'T4', name: 'file missing in a commit', heads: ['first', 'among five'], of: t => [t.hit1, t.hit5]},
];
const METRICS = {any5: 'one among the first five', recall10: 'share among the first ten', hit1: 'first', hit5: 'among the first five', mrr: 'mean of 1/place'};

function evaluation({eval: e}) {
  if (!e) return null;
  const parts = [
    lead('Recorded work, replayed in the order of time: aOa predicts, then it learns. docs/evaluation.md defines every number. ',
      `One ranking took ${e.latency_ms.p50.toFixed(2)} ms at the median, ${e.latency_ms.p99.toFixed(2)} ms at the 99th percentile.`),
    losses(e.loses),
  ];
  if (e.repos.length > 1) parts.push(evaluated(`Mean of ${e.repos.length} repositories`, e.macro.tasks, e.macro.baselines));
  return [parts, e.repos.map(r => evaluated(r.name, r.tasks, r.baselines, r.counts))];
}

function losses(list) {
  if (!list.length) return el('p', {}, 'No simple rule is better than aOa at any of these questions.');
  const line = l => {
    const task = TASKS.find(t => t.id === l.task);
    return `${l.repo === 'macro' ? 'all' : l.repo}, ${task ? task.name : l.task}, ${METRICS[l.metric] || l.metric}: ` +
      `${percent(l.value)} against ${percent(l.best)} of ${l.baseline}`;
  };
  return el('details', {open: true}, el('summary', {}, 'Where a simple rule is better than aOa'), el('ul', {}, list.map(l => el('li', {}, line(l)))));
}

// evaluated is one repository: a table of aOa and the rules, what would have been shown, and charts.
function evaluated(name, own, baselines, counts) {
  const asked = TASKS.filter(t => own[t.id]), rules = [['aOa', own], ...Object.entries(baselines || {})];
  const heads = [['Rule'], ...asked.flatMap(t => [[`${t.name}: ${t.heads[0]}`, 'num'], [t.heads[1], 'num']])];
  const row = ([rule, tasks]) => [rule, ...asked.flatMap(t => (tasks[t.id] ? t.of(tasks[t.id]).map(percent) : ['–', '–']))];
  return [
    el('h3', {}, name),
    counts && el('p', {class: 'dim'}, `${plural(counts.sessions, 'session')}, ${plural(counts.file_events, 'file event')}, ` +
      `${plural(counts.opens, 'open')} of known files, ${plural(counts.created, 'new file')}, ${plural(counts.commits, 'commit')}`),
    table(heads, rules.map(row), name),
    el('ul', {}, facts(own).map(f => el('li', {}, f))),
    el('div', {class: 'charts'}, own.shown && shownCharts(own), asked.filter(t => t.id !== 'T1').map(t => hitChart(t, rules))),
  ];
}

function facts({T5: warned, shown, lists, saved}) {
  const searches = saved && (saved.searches === 1 ? '1 search' : number(saved.searches) + ' searches');
  return [
    warned && `Warnings of a missing file: ${percent(warned.precision)} are right, and they name ${percent(warned.recall)} of ` +
      `${number(warned.n)} missing files; ${warned.false_per_100.toFixed(1)} false ones in 100 complete commits.`,
    shown && `Shown to an agent: ${plural(shown.n, 'file')}, ${percent(shown.precision)} of them opened; ` +
      `${percent(shown.coverage)} of all opens were shown before. Promises are off by ${percent(shown.ece)} on average.`,
    lists && `Lists at prompts: at ${percent(lists.shown)} of the prompts whose turn opens files, right at ${percent(lists.right)} of these; ` +
      `at ${percent(lists.others)} of the others.`,
    saved && `${searches} lay between a file shown and its open: ${saved.searches_per_session.toFixed(2)} a session, ${percent(saved.share)} of all.`,
  ].filter(Boolean);
}

function shownCharts({shown: all, shown_unseen: unseen}) {
  const series = of => [['all files', 's0', of(all).filter(p => p.n)], ['unseen files', 's1', of(unseen).filter(p => p.n)]];
  return [el('figure', {}, reliability(series(s => s.reliability))), el('figure', {}, coverage(series(s => s.curve)))];
}

function hitChart({id, name}, rules) {
  const asked = rules.filter(([, tasks]) => tasks[id]);
  const values = ({hit1, hit3, hit5, hit10}) => [hit1, hit3, hit5, hit10];
  return el('figure', {}, hits(name, [1, 3, 5, 10], asked.map(([rule, tasks]) => [rule, values(tasks[id])])),
    el('figcaption', {}, asked.map(([rule], i) => [el('i', {class: 'c' + i}), rule + ' '])));
}
