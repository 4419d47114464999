(() => {
  const ENTRY = 'details, .event, tbody tr[id]';
  const field = document.getElementById('search');
  const found = document.getElementById('found');
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const entries = all(ENTRY).map((element) => {
    const body = element.matches('details') && element.lastElementChild;
    const shown = body ? element.querySelector('summary').textContent + ' ' + body.id : element.textContent;
    return {
      element,
      id: element.id || body.id,
      text: shown
        .replace(/\s*\/\s*/g, '/')
        .replace(/\s+/g, ' ')
        .toLowerCase(),
    };
  });
  const sections = all('main > section');
  const main = sections[0].parentElement;
  let titled = [];
  const visible = (element) => !element.hidden;
  const heading = (section) => section.querySelector('h1, h2');

  function filter() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = (text) => words.every((word) => text.includes(word));
    let count = 0;
    // A section whose title has the words comes first, with all that it holds.
    const hadTitled = titled.length > 0;
    titled =
      words.length === 0 ? [] : sections.filter((each) => isFound(heading(each).textContent.toLowerCase()));
    if (hadTitled || titled.length > 0) main.append(...new Set([...titled, ...sections]));
    for (const { element, text } of entries) {
      element.hidden = !isFound(text) && !titled.includes(element.closest('section'));
      if (!element.hidden) count += 1;
    }
    for (const table of all('main table')) {
      if (!table.querySelector(ENTRY)) continue;
      table.hidden = !all(ENTRY, table).some(visible);
      if (table.previousElementSibling.matches('h3')) table.previousElementSibling.hidden = table.hidden;
    }
    for (const section of sections) {
      const inside = all(ENTRY, section);
      section.hidden =
        inside.length > 0 ? !inside.some(visible) : !isFound(section.textContent.toLowerCase());
      if (inside.length === 0 && !section.hidden) count += 1;
    }
    for (const item of all('nav li')) {
      const target = document.getElementById(item.firstElementChild.hash.slice(1));
      item.hidden = target.closest('[hidden]') !== null;
    }
    for (const group of all('nav .group')) group.hidden = !all('li', group.nextElementSibling).some(visible);
    found.textContent = words.length === 0 ? '' : count === 0 ? 'Nothing found' : count + ' found';
  }

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest('[hidden]')) {
      field.value = '';
      filter();
    }
    const fold = target.closest('details');
    if (fold) fold.open = true;
    target.scrollIntoView();
  }

  // The console of the daemon that serves the page. It needs scripts, too, so the page links to it only with them.
  for (const fold of all('details:has(h4 ~ pre)')) {
    const [method, path] = fold.querySelector('h3').children;
    const link = document.createElement('a');
    link.href =
      '/_kyclone/console#/request?operation=' +
      encodeURIComponent(method.textContent + ' ' + path.textContent);
    link.textContent = 'Open in the console';
    all('pre', fold).at(-1).after(link);
  }
  field.closest('[hidden]').hidden = false;
  field.addEventListener('input', filter);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') field.value = '';
    if (event.key === 'Escape') filter();
    const first = titled[0] ? heading(titled[0]) : entries.find(({ element }) => visible(element));
    if (event.key === 'Enter' && first && field.value !== '') location.hash = first.id;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  addEventListener('hashchange', reveal);
  if (field.value !== '') filter();
  reveal();
})();
