// What readers of a screen, of small contrast or with a keyboard would miss: text under 4.5 to 1,
// controls and pictures without a name, ids that are there twice, headings that leave out a level.
(() => {
  const bad = [], parts = c => c.match(/[\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(x => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const paper = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c } return [255, 255, 255] };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = texts.nextNode());) {
    const e = n.parentElement, s = getComputedStyle(e), box = e.getBoundingClientRect();
    if (!n.data.trim() || e.closest('script, noscript, title') || !box.width || s.visibility === 'hidden') continue;
    const a = light(parts(e instanceof SVGElement ? s.fill : s.color)), b = light(paper(e)), c = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (c < 4.5) bad.push('contrast ' + c.toFixed(1) + ' ' + e.tagName + '.' + e.getAttribute('class') + ' ' + n.data.slice(0, 30));
  }
  for (const e of document.querySelectorAll('a, button, input, select, [tabindex], [role=img], nav, section'))
    if (!(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent).trim()) bad.push('no name: ' + e.outerHTML.slice(0, 60));
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  bad.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map(id => 'twice: ' + id));
  let level = 0;
  for (const h of document.querySelectorAll('h1, h2, h3')) { if (h.tagName[1] - level > 1) bad.push('level: ' + h.textContent); level = +h.tagName[1] }
  return [...new Set(bad)];
})()
