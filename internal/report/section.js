// The sections, each from its part of the data. One without data says when it will have some.
const KINDS = {
  next: 'the next file, between tool calls',
  prompt: 'a list of files at a prompt',
  partner: 'what a change lacks',
  rescue: 'the right path after a failed read',
  search: 'what a failed search meant',
  start: 'the files at hand when a session starts or goes on',
  stale: 'files that changed since they were read',
  reload: 'how such a task was done before',
};
const PLACES = ['first', 'second', 'third', 'fourth', 'fifth'];

function belongs({map: data}) {
  if (!data || !data.pairs.length) return null;
  map = new CouplingMap(data);
  return [
    lead('A line joins two files that keep changing in the same commits. A thicker line stands for more commits; a colored one stays inside ',
      'a folder, an ', el('b', {class: 'across'}, 'orange'), ' one crosses folders; a faint one has not been seen for a year.'),
    map.root,
  ];
}

function crossing({across}) {
  if (!across || !across.length) return null;
  const heads = [['File'], ['changes with'], ['together', 'share'], ['last year', 'num']];
  const share = p => bar(percent(p.both / p.of_a), [p.both / p.of_a, 'part']);
  const row = p => [linked(p.a), linked(p.b), [el('span', {}, `${number(p.both)} of ${number(p.of_a)}`), share(p)], number(p.year)];
  return [
    lead('Files of different folders that change together. Who changes one should look at the other; many such pairs between two folders are a hint ' +
      'that their border is in the wrong place.'),
    table(heads, across.map(row), 'Pairs that cross folders'),
  ];
}

function hotSpots({hot}) {
  if (!hot || !hot.length) return null;
  const heads = [['File'], ['commits in the last year', 'num'], ['lines', 'num']];
  return [
    lead('Files that change often and are long. A change here costs much, and a mistake is likely: the first places for tests, or for a split.'),
    scatter(hot),
    table(heads, hot.slice(0, 12).map(f => [linked(f.file), number(f.commits), number(f.lines)]), 'Hot spots'),
  ];
}

const LEAST_PROMISES = 10; // a dot of fewer is chance

function right({reliability, past}) {
  if (!reliability && !past) return null;
  const live = reliability && reliability.weeks.length > 0, shown = live ? reliability : past;
  const series = [past && ['the history, asked again', 's0', past.bars], reliability && ['sessions of agents', 's1', reliability.bars]].filter(Boolean)
    .map(([name, cls, bars]) => [name, cls, bars.filter(b => b.n >= LEAST_PROMISES)]).filter(s => s[2].length > 1);
  const [good, bad, what] = live ? ['used', 'not used', 'Files that hints have named, and whether they were opened in time.']
    : ['found', 'not found', 'Files that were left out of a change, and whether the first five name them.'];
  return [past && askedAgain(past), reliability && outcomes(reliability), el('div', {class: 'charts'},
    series.length > 0 && el('figure', {}, reliabilityChart(series), el('figcaption', {}, 'On the diagonal aOa is as sure as it should be. Below it, it promises too much; ' +
      'above it, too little. Large dots stand for many predictions. The history was asked what goes with one file: that came true if the next commit of ' +
      'this file changed the other one, too.')),
    shown && shown.weeks.length > 1 && el('figure', {}, weeks(shown.weeks, shown.month, good, bad), el('figcaption', {}, what)))];
}

function askedAgain(past) {
  return [
    lead(`The last ${plural(past.changes, 'change')} of several files were asked about again, as if they had not been made yet: with each file left ` +
      'out once, and complete.'),
    el('div', {class: 'tiles'},
      tile(percent(past.five), `of ${plural(past.asked, 'file')} that were left out are among the first five that aOa lists; ` +
        `${percent(past.first)} are the first`),
      tile(percent(past.simple), 'are among the first five of a simple rule: what was committed with the others most often'),
      past.warned > 0 && tile(percent(past.right), `of ${plural(past.warned, 'warning')} that a file is missing name the right one`),
      tile(percent(past.false), 'of the complete changes would have got a warning'),
      past.lacking > 0 && tile(percent(past.later), `of ${plural(past.lacking, 'file')} that these warnings name were committed within a week after`)),
  ];
}

function outcomes({bars}) {
  const n = bars.reduce((sum, b) => sum + b.n, 0), good = bars.reduce((sum, b) => sum + b.n * b.used, 0);
  return lead(`In sessions of agents ${plural(n, 'prediction')} have an outcome: ${percent(good / n)} came true. Those below the threshold, which no one ` +
    'saw, count as well.');
}

function hintsOf({hints}) {
  if (!hints || !hints.length) return null;
  const share = tally => (tally.resolved ? `${number(tally.right)} of ${number(tally.resolved)}` : '–');
  const row = k => [KINDS[k.kind] || k.kind, number(k.shown.decided), share(k.shown), number(k.withheld.decided), share(k.withheld), number(k.tokens)];
  const heads = [['Hint'], ['shown', 'num'], ['right', 'num'], ['withheld', 'num'], ['right all the same', 'num'], ['tokens', 'num']];
  return [
    lead('One hint in ten is withheld, drawn at random. Those show what happens without a hint: how often the agent used the file all the same.'),
    table(heads, hints.map(row), 'Kinds of hints'),
  ];
}

function examples({changes}) {
  if (!changes || !changes.length) return null;
  return [
    lead('Real changes, as aOa knew the repository just before. For each file: had it been forgotten, was it among the first five that aOa lists for ' +
      'the others, and with which probability? A new file cannot be named.'),
    el('div', {class: 'changes'}, changes.map(example)),
  ];
}

function example(c) {
  const said = f => (f.new ? 'new' : f.place ? `${PLACES[f.place - 1]}, ${percent(f.p)}` : 'not listed');
  const file = f => el('li', {class: f.new ? 'new' : f.place ? 'hit' : 'miss'}, linked(f.file, 34), el('small', {}, said(f)));
  const lack = (w, i) => [i ? '; ' : '', el('b', {}, w.file),
    ` may be missing (${percent(w.p)}; it changed with ${w.with} in ${w.both} of ${w.of} commits)`];
  return el('article', {}, el('h3', {}, c.subject), el('p', {class: 'dim'}, `${day(c.at)}, ${c.commit}`), el('ul', {}, c.files.map(file)),
    el('p', {class: 'verdict'}, 'About the complete change aOa would have said', c.warned.length ? [': ', c.warned.map(lack)] : ' nothing.'));
}

// SECTIONS: id, title, what makes it, and when one that is empty will have something.
const SECTIONS = [
  ['together', 'What belongs together', belongs, 'Two files appear here after three commits that change both.'],
  ['across', 'Pairs that cross folders', crossing, 'Files of two folders appear here after three commits that change both.'],
  ['hot', 'Hot spots', hotSpots, 'A source file appears here after two commits within a year.'],
  ['right', 'How right aOa is here', right, 'Figures appear here after the first commit that changes two known files.'],
  ['hints', 'How right hints are', hintsOf, 'Figures appear here after the first hint to an agent: aoa init --hooks claude.'],
  ['changes', 'Recent changes, and what aOa would have said', examples, 'Commits of two to eight files, two of them known before, appear here.'],
];

// headline is what to act on first: sentences that lead into the page. Names stand between backticks.
function headline(sentences) {
  const words = s => s.text.split('`').map((part, i) => (i % 2 ? el('b', {}, part) : part));
  return el('ol', {class: 'headline'}, sentences.map(s => el('li', {}, el('a', {href: '#' + s.section}, words(s)))));
}

function show(data) {
  const main = document.querySelector('main'), nav = document.querySelector('header nav'), c = data.counts;
  document.title = 'aOa: ' + data.name;
  document.querySelector('h1').append(data.name);
  const since = c && c.since ? ' since ' + day(c.since) : '';
  const about = c && `${plural(c.commits, 'commit')} over ${plural(c.files, 'file')}${since}, ${plural(c.sessions, 'session')} of agents. `;
  main.append(el('p', {class: 'made'}, about, `Made by aOa on ${day(data.made)}. Nothing here was sent anywhere.`));
  if (data.headline) main.append(headline(data.headline));
  for (const [id, title, make, empty] of SECTIONS) {
    const body = make(data) || el('p', {class: 'dim'}, empty);
    main.append(el('section', {id, 'aria-labelledby': id + '-title'}, el('h2', {id: id + '-title'}, title), body));
    nav.append(el('a', {href: '#' + id}, title.split(',')[0]));
  }
}

// dress switches between the system's theme, light and dark.
function dress(theme) {
  const button = document.getElementById('theme'), next = {'': 'light', light: 'dark', dark: ''};
  document.documentElement.dataset.theme = theme;
  button.textContent = theme || 'auto';
  button.setAttribute('aria-label', 'Theme: ' + (theme || 'as the system'));
  button.onclick = () => dress(next[theme]);
}

show(JSON.parse(document.getElementById('data').textContent));
dress('');
