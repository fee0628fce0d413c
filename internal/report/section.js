// The sections, each from its part of the data. A section without data is left out.
const data = JSON.parse(document.getElementById('data').textContent);
const kindNames = {next: 'the next file, between tool calls', prompt: 'a list of files at a prompt', pair: 'the test or the source of an edited file', partner: 'what a change lacks',
  rescue: 'the right path after a failed read', workingset: 'the files at hand when a session starts or goes on', stale: 'files that changed since they were read', reload: 'how such a task was done before'};

function belongs({map}) {
  if (!map || !map.pairs.length) return null;
  return [el('p', {class: 'lead'}, 'A line joins two files that keep changing in the same commits. A thicker line stands for more commits; a colored one stays inside a folder, an ', el('b', {class: 'across'}, 'orange'),
    ' one crosses folders; a faint one has not been seen for a year.'), coupling(map)];
}

function crossing({across}) {
  if (!across || !across.length) return null;
  return [el('p', {class: 'lead'}, 'Files of different folders that change together. Who changes one should look at the other; many such pairs between two folders are a hint that their border is in the wrong place.'),
    table([['File'], ['changes with'], ['together', 'num'], ['', 'narrow'], ['last year', 'num']],
      across.map(p => [pathOf(p.a), pathOf(p.b), `${number(p.both)} of ${number(p.of_a)}`, bar(percent(p.both / p.of_a), [p.both / p.of_a, 'part']), number(p.year)]), 'Pairs that cross folders')];
}

function hotSpots({hot}) {
  if (!hot || !hot.length) return null;
  return [el('p', {class: 'lead'}, 'Files that change often and are long. A change here is dear, and a mistake likely: the first places for tests and for taking apart.'), scatter(hot),
    table([['File'], ['commits in the last year', 'num'], ['lines', 'num']], hot.slice(0, 12).map(f => [pathOf(f.file), number(f.commits), number(f.lines)]), 'Hot spots')];
}

function knowledge({people: p}) {
  if (!p) return null;
  if (p.authors < 2) return [el('p', {class: 'lead'}, 'One person has written all of it.')];
  return [el('p', {class: 'lead'}, `${plural(p.authors, 'person').replace('persons', 'people')} have written here, ${number(p.active)} of them in the last year. ${number(p.alone)} of ${plural(p.alone + p.shared, 'file')} ` +
    'were only ever changed by one person. Where that person has left, nobody knows the file.'),
  el('div', {class: 'split'}, el('div', {}, el('h3', {}, 'By folder'), el('div', {class: 'folders'}, p.folders.map(f => [el('span', {}, pathOf(f.folder === '…' ? 'all other' : f.folder, 32)),
    bar(`${number(f.alone)} of ${plural(f.files, 'file')} with one author, ${number(f.away)} of them away for a year`, [f.away / f.files, 'away'], [(f.alone - f.away) / f.files, 'alone']),
    el('span', {class: 'num'}, `${number(f.alone)} of ${number(f.files)}`)])),
  el('p', {class: 'legend'}, el('i', {class: 'away'}), 'one author, who has been away for a year', el('i', {class: 'alone'}), 'one author', el('i', {class: 'several'}), 'several')),
  el('div', {}, el('h3', {}, 'Files'), table([['File'], ['only author'], ['commits', 'num'], ['last change', 'num']],
    p.files.map(f => [pathOf(f.file, 46), el('span', {}, f.by, f.away && el('span', {class: 'badge'}, 'away')), number(f.commits), day(f.last)]), 'Files of one author')))];
}

function right({record, past}) {
  if (!record && !past) return null;
  const out = [], series = [];
  if (past) {
    out.push(el('p', {class: 'lead'}, `The last ${plural(past.changes, 'change')} of several files were asked about again, as if they had not been made yet: with each file left out once, and complete.`),
      el('div', {class: 'tiles'}, tile(percent(past.five), `of ${plural(past.asked, 'file')} that were left out are among the first five that aOa lists; ${percent(past.first)} are the first`),
        tile(percent(past.simple), 'are among the first five of a simple rule: what was committed with the others most often'),
        past.warned ? tile(percent(past.right), `of ${plural(past.warned, 'warning')} that a file is missing name the right one`) : null,
        tile(percent(past.false), 'of the complete changes would have got a warning for nothing')));
    series.push(['the history, asked again', 's0', past.bars]);
  }
  if (record) {
    const n = record.bars.reduce((s, b) => s + b.n, 0), good = record.bars.reduce((s, b) => s + b.n * b.used, 0);
    out.push(el('p', {class: 'lead'}, `In sessions of agents ${plural(n, 'prediction')} have an outcome: ${percent(good / n)} came true. Those below the threshold, which nobody saw, count as well.`));
    series.push(['sessions of agents', 's1', record.bars]);
  }
  const shown = record && record.weeks.length ? record : past;
  out.push(el('div', {class: 'charts'}, el('figure', {}, reliability(series), el('figcaption', {}, 'On the diagonal aOa is as sure as it should be. Below it, it promises too much; above it, too little. Large dots stand for many predictions.')),
    shown && shown.weeks.length > 1 && el('figure', {}, weeks(shown.weeks, shown.month, shown === record ? 'used' : 'found', shown === record ? 'not used' : 'not found'),
      el('figcaption', {}, shown === record ? 'Files that hints have named, and whether they were opened in time.' : 'Files that were left out of a change, and whether the first five name them.'))));
  return out;
}

function costs({cost: c}) {
  if (!c) return null;
  const lift = k => k.settled && k.withheld_settled ? `${k.lift >= 0 ? '+' : '−'}${Math.abs(100 * k.lift).toFixed(0)} points (${(100 * k.lift_low).toFixed(0)} to ${(100 * k.lift_high).toFixed(0)})` : '–';
  return [el('p', {class: 'lead'}, 'A hint stays in the conversation, so every later request carries it. One hint in ten is kept back at random: the last column says how much more often a file was used when it was shown than when it was kept back.'),
    el('div', {class: 'tiles'}, tile(number(c.tokens), `tokens in ${plural(c.hints, 'hint')} of ${plural(c.sessions, 'session')}`), tile(number(c.carried), 'tokens with all later requests that carried them, mostly read from the prompt cache'),
      tile(c.settled ? percent(c.used / c.settled) : '–', `of ${plural(c.settled, 'hint')} with an outcome named a file that was then used: as many searches or wrong reads less, at best`)),
    table([['Hint'], ['shown', 'num'], ['used', 'num'], ['tokens', 'num'], ['used more often than when kept back (95 %)', 'num']],
      c.kinds.map(k => [el('span', {}, kindNames[k.kind] || k.kind, k.retired && el('span', {class: 'badge'}, 'switched itself off')), number(k.shown), k.settled ? `${number(k.used)} of ${number(k.settled)}` : '–', number(k.tokens), lift(k)]), 'Kinds of hints')];
}

function examples({changes}) {
  if (!changes || !changes.length) return null;
  return [el('p', {class: 'lead'}, 'Real changes, as aOa knew the repository just before. For each file: had it been forgotten, was it among the first five that aOa lists for the others, and with which probability? Nobody could know a new file.'),
    el('div', {class: 'changes'}, changes.map(c => el('article', {}, el('h3', {}, c.subject), el('p', {class: 'dim'}, `${day(c.at)}, ${c.commit}`),
      el('ul', {}, c.files.map(f => el('li', {class: f.new ? 'new' : f.place ? 'hit' : 'miss'}, pathOf(f.file, 34), el('small', {}, f.new ? 'new' : f.place ? `${['first', 'second', 'third', 'fourth', 'fifth'][f.place - 1]}, ${percent(f.p)}` : 'not listed')))),
      el('p', {class: 'verdict'}, c.warned.length ? ['About the complete change aOa would have said: ', c.warned.map((w, i) => [i ? '; ' : '', el('b', {}, w.file), ` may be missing (${percent(w.p)}; it changed with ${baseOf(w.with)} in ${w.both} of ${w.of} commits)`])] : 'About the complete change aOa would have said nothing.'))))].flat();
}

// An evaluation (aoa eval --html): each repository, and their mean.
const tasks = [['T1', 'at a prompt: files of the turn', t => t && [t.any5, t.recall10]], ['T2', 'next file, not mentioned before', t => t && [t.hit1, t.hit5]], ['T3', 'next file, seen in a listing', t => t && [t.hit1, t.hit5]], ['T4', 'file missing in a commit', t => t && [t.hit1, t.hit5]]];
const taskName = id => (tasks.find(t => t[0] === id) || [, id])[1];
function evaluation({eval: e}) {
  if (!e) return null;
  const metric = {any5: 'one among the first five', recall10: 'share among the first ten', hit1: 'first', hit5: 'among the first five', mrr: 'mean of 1/place'};
  const out = [el('p', {class: 'lead'}, `Recorded work, replayed in the order of time: aOa predicts, then it learns. docs/evaluation.md defines every number. One ranking took ${e.latency_ms.p50.toFixed(2)} ms at the median, ${e.latency_ms.p99.toFixed(2)} ms at the 99th percentile.`)];
  out.push(e.loses.length ? el('details', {open: true}, el('summary', {}, 'Where a simple rule is better than aOa'), el('ul', {}, e.loses.map(l => el('li', {}, `${l.repo === 'macro' ? 'all' : l.repo}, ${taskName(l.task)}, ${metric[l.metric] || l.metric}: ${percent(l.value)} against ${percent(l.best)} of ${l.baseline}`)))) : el('p', {}, 'No simple rule is better than aOa at any of these questions.'));
  const repos = e.repos.map(r => [r.name, r.tasks, r.baselines, r.counts]);
  if (e.repos.length > 1) repos.unshift([`Mean of ${e.repos.length} repositories`, e.macro.tasks, e.macro.baselines]);
  for (const [name, own, baselines, c] of repos) {
    const rows = [['aOa', own], ...Object.entries(baselines || {})], asked = tasks.filter(([id]) => own[id]);
    out.push(el('h3', {}, name));
    if (c) out.push(el('p', {class: 'dim'}, `${plural(c.sessions, 'session')}, ${plural(c.file_events, 'file event')}, ${plural(c.opens, 'open')} of known files, ${plural(c.created, 'new file')}, ${plural(c.commits, 'commit')}`));
    out.push(table([['Rule'], ...asked.flatMap(([id, n]) => [[n + (id === 'T1' ? ': one among five' : ': first'), 'num'], [id === 'T1' ? 'share among ten' : 'among five', 'num']])],
      rows.map(([n, t]) => [n, ...asked.flatMap(([id, , of]) => (of(t[id]) || [NaN, NaN]).map(v => isNaN(v) ? '–' : percent(v)))]), name));
    const facts = [own.T5 && `Warnings of a missing file: ${percent(own.T5.precision)} are right, and they name ${percent(own.T5.recall)} of ${number(own.T5.n)} missing files; ${own.T5.false_per_100.toFixed(1)} false ones in 100 complete commits.`,
      own.shown && `Shown to an agent: ${plural(own.shown.n, 'file')}, ${percent(own.shown.precision)} of them opened; ${percent(own.shown.coverage)} of all opens were shown before. Promises are off by ${percent(own.shown.ece)} on average.`,
      own.lists && `Lists at prompts: at ${percent(own.lists.shown)} of the prompts whose turn opens files, right at ${percent(own.lists.right)} of these; at ${percent(own.lists.others)} of the others.`,
      own.saved && `${plural(own.saved.searches, 'search').replace('searchs', 'searches')} lay between a file shown and its open: ${own.saved.searches_per_session.toFixed(2)} a session, ${percent(own.saved.share)} of all.`].filter(Boolean);
    out.push(el('ul', {}, facts.map(f => el('li', {}, f))), el('div', {class: 'charts'}, own.shown && el('figure', {}, reliability([['all files', 's0', own.shown.reliability.filter(b => b.n)], ['unseen files', 's1', own.shown_unseen.reliability.filter(b => b.n)]])),
      own.shown && el('figure', {}, coverage([['all files', 's0', own.shown.curve.filter(p => p.n)], ['unseen files', 's1', own.shown_unseen.curve.filter(p => p.n)]])),
      asked.filter(([id]) => id !== 'T1').map(([id, n]) => el('figure', {}, hits(n, [1, 3, 5, 10], rows.filter(r => r[1][id]).map(([rule, t]) => [rule, [t[id].hit1, t[id].hit3, t[id].hit5, t[id].hit10]])),
        el('figcaption', {}, rows.filter(r => r[1][id]).map(([rule], i) => [el('i', {class: 'c' + i}), rule + ' ']))))));
  }
  return out;
}

const sections = [['together', 'What belongs together', belongs], ['across', 'Pairs that cross folders', crossing], ['hot', 'Hot spots', hotSpots], ['people', 'Knowledge at risk', knowledge],
  ['right', 'How right aOa is here', right], ['cost', 'What hints cost and bring', costs], ['changes', 'Recent changes, and what aOa would have said', examples], ['eval', 'How well aOa predicts', evaluation]];
document.title = 'aOa: ' + data.name;
document.querySelector('h1').append(data.name);
const c = data.counts;
document.querySelector('main').append(el('p', {class: 'made'}, c ? `${plural(c.commits, 'commit')} over ${plural(c.files, 'file')}` + (c.since ? ` since ${day(c.since)}` : '') + `, ${plural(c.sessions, 'session')} of agents. ` : '', `Made by aOa on ${day(data.made)}. Nothing here was sent anywhere.`));
for (const [id, title, make] of sections) {
  const body = make(data);
  if (!body) continue;
  document.querySelector('main').append(el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, title), body));
  document.querySelector('header nav').append(el('a', {href: '#' + id}, title.split(',')[0]));
}

const themes = ['', 'light', 'dark'], theme = document.getElementById('theme');
function dress(t) {
  document.documentElement.dataset.theme = t;
  theme.textContent = {'': 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark'}[t];
}
theme.addEventListener('click', () => dress(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]));
dress('');
