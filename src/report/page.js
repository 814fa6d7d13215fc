// page.js - what all pages do: navigation to their sections, tables that sort, the tables that links open.
'use strict';
(() => {
  const nav = document.querySelector('nav');
  for (const heading of document.querySelectorAll('h2[id]')) {
    const link = document.createElement('a');
    link.href = '#' + heading.id;
    link.textContent = heading.textContent;
    nav.append(link);
  }

  // A heading is a button for mouse and keyboard.  Cells compare as numbers where they are numbers.
  const sort = th => {
    const body = th.closest('table').tBodies[0], column = th.cellIndex;
    const up = th.getAttribute('aria-sort') !== 'ascending';
    for (const other of th.parentNode.children) other.removeAttribute('aria-sort');
    th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const text = row => row.cells[column].textContent;
    body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) *
      text(a).localeCompare(text(b), 'en', {numeric: true})));
  };
  for (const th of document.querySelectorAll('table.sorted th')) {
    th.classList.add('sorts');
    th.tabIndex = 0;
    th.onclick = () => sort(th);
    th.onkeydown = event => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      sort(th);
    };
  }
  document.body.dataset.ready = document.querySelectorAll('h2[id]').length;
})();
