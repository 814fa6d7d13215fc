// trace_line.js - the time line of a trace report: draws the slices in view, moves and zooms.
'use strict';
if (traceData) (() => {
  const {about, ranks, units, time, sizes, comm, label} = traceData;
  const element = id => document.getElementById(id);

  // ---- colours: one for each operation, the longest first; the rest share one ----

  const COLOURS = 10;
  const seconds = new Map();
  for (const k of about.kinds) seconds.set(k.op, (seconds.get(k.op) || 0) + k.seconds);
  const isIdle = op => op === 'init' || op === 'finalize';
  const ops = [...seconds.keys()].filter(op => !isIdle(op))
    .sort((a, b) => seconds.get(b) - seconds.get(a));
  const colourOf = op => ops.includes(op) && ops.indexOf(op) < COLOURS ? '--c' + ops.indexOf(op) : '--other';
  let palette = {};
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    palette = {text: style.getPropertyValue('--text'), quiet: style.getPropertyValue('--quiet'),
      line: style.getPropertyValue('--line'), empty: style.getPropertyValue('--empty'),
      page: style.getPropertyValue('--page'),
      kinds: about.kinds.map(k => style.getPropertyValue(colourOf(k.op)))};
  };

  // ---- state ----

  const LEFT = 46, TOP = 24, HIGHEST = 18, LOWEST = 4, MOST_HEIGHT = 560;
  const canvas = element('line-canvas'), pen = canvas.getContext('2d');
  const view = {from: about.from_ns, to: about.to_ns, top: 0};
  const chosen = {rank: 0, slice: -1, op: null, comm: -2};
  let width = 0, rows = 0, row = 0, drag = null;
  const isShown = kind => (chosen.op === null || about.kinds[kind].op === chosen.op) &&
    (chosen.comm === -2 || about.kinds[kind].comm === chosen.comm);
  const scale = () => (width - LEFT) / (view.to - view.from);
  const xOf = t => LEFT + (t - view.from) * scale();
  const timeAt = x => view.from + (x - LEFT) / scale();

  // Ends of slices ascend: the first that ends at t or later.
  const firstAt = (rank, t) => {
    let low = 0, high = rank.n;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (rank.end[mid] < t) low = mid + 1; else high = mid;
    }
    return low;
  };

  // ---- drawing ----

  const lay = () => {
    const ratio = devicePixelRatio || 1;
    width = canvas.clientWidth;
    row = Math.max(LOWEST, Math.min(HIGHEST, Math.floor(MOST_HEIGHT / about.ranks)));
    rows = Math.min(about.ranks, Math.floor(MOST_HEIGHT / row));
    const height = TOP + rows * row + 2;
    for (const by of ['up', 'down'])
      document.querySelector('#line [data-do=' + by + ']').hidden = rows === about.ranks;
    canvas.style.height = height + 'px';
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  };

  // Steps of 1, 2 or 5 times a power of ten, at least 90 pixels apart.
  const drawTicks = () => {
    const least = 90 / scale(), power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= least);
    pen.fillStyle = palette.quiet;
    pen.strokeStyle = palette.line;
    pen.textAlign = 'left';
    const [unit, name] = units.find(u => step >= u[0] || u[0] === 1);
    const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      pen.beginPath();
      pen.moveTo(xOf(t), TOP - 5);
      pen.lineTo(xOf(t), TOP + rows * row);
      pen.stroke();
      if (xOf(t) < width - 60) pen.fillText((t / unit).toFixed(digits) + ' ' + name, xOf(t) + 3, 12);
    }
  };

  // Slices narrower than a pixel share it: the longest of them is drawn.
  const drawRank = (r, y) => {
    const rank = ranks[r], k = scale(), h = row > 6 ? row - 2 : row - 1;
    let pixel = -1, longest = 0, kind = -1;
    const flush = () => {
      if (kind < 0) return;
      pen.fillStyle = palette.kinds[kind];
      pen.fillRect(pixel, y, 1, h);
      kind = -1;
    };
    for (let i = firstAt(rank, view.from); i < rank.n && rank.start[i] < view.to; i++) {
      if (!isShown(rank.kind[i])) continue;
      const x = Math.max(LEFT, LEFT + (rank.start[i] - view.from) * k);
      const end = Math.min(width, LEFT + (rank.end[i] - view.from) * k);
      if (end - x >= 1) {
        flush();
        pen.fillStyle = palette.kinds[rank.kind[i]];
        pen.fillRect(x, y, end - x, h);
        if (end - x > 60 && row >= 14) drawLabel(rank, i, x, y, end - x, h);
        continue;
      }
      if (Math.floor(x) !== pixel) {
        flush();
        pixel = Math.floor(x);
        longest = -1;
      }
      const length = rank.end[i] - rank.start[i];
      if (length > longest) {
        longest = length;
        kind = rank.kind[i];
      }
    }
    flush();
  };
  const drawLabel = (rank, i, x, y, w, h) => {
    const text = (rank.calls[i] > 1 ? rank.calls[i] + ' calls, ' : '') + label(about.kinds[rank.kind[i]]);
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w - 3, h);
    pen.clip();
    pen.fillStyle = palette.page;
    pen.fillText(text, x + 4, y + h - 4);
    pen.restore();
  };
  const drawChosen = () => {
    const rank = ranks[chosen.rank], y = TOP + (chosen.rank - view.top) * row;
    if (chosen.slice < 0 || y < TOP || y >= TOP + rows * row) return;
    const x = Math.max(LEFT, xOf(rank.start[chosen.slice])), end = Math.min(width, xOf(rank.end[chosen.slice]));
    pen.strokeStyle = palette.text;
    pen.lineWidth = 2;
    if (end >= LEFT && x <= width) pen.strokeRect(x - 1, y, Math.max(3, end - x + 2), row - 1);
    pen.lineWidth = 1;
  };
  const draw = () => {
    pen.clearRect(0, 0, width, TOP + rows * row + 2);
    pen.font = '11px system-ui, sans-serif';
    drawTicks();
    for (let i = 0; i < rows; i++) {
      const r = view.top + i, y = TOP + i * row;
      pen.fillStyle = palette.empty;
      pen.fillRect(LEFT, y, width - LEFT, row > 6 ? row - 2 : row - 1);
      drawRank(r, y);
      pen.fillStyle = r === chosen.rank ? palette.text : palette.quiet;
      pen.textAlign = 'right';
      if (row >= 10 || r % 10 === 0) pen.fillText(r, LEFT - 6, y + Math.max(row - 4, 6));
      pen.textAlign = 'left';
    }
    drawChosen();
    if (drag && drag.x !== drag.from) {
      pen.fillStyle = palette.quiet;
      pen.globalAlpha = 0.3;
      pen.fillRect(Math.min(drag.from, drag.x), TOP, Math.abs(drag.x - drag.from), rows * row);
      pen.globalAlpha = 1;
    }
  };
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };

  // ---- moving ----

  const show = (from, to) => {
    const whole = Math.max(1, about.end_ns), length = Math.min(whole, Math.max(50, to - from));
    view.from = Math.min(Math.max(0, from), whole - length);
    view.to = view.from + length;
    redraw();
  };
  const zoom = (factor, middle = (view.from + view.to) / 2) =>
    show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  const move = share => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
  const describe = () => {
    const rank = ranks[chosen.rank], i = chosen.slice, head = 'rank ' + chosen.rank + ' on ' + about.hosts[chosen.rank];
    if (i < 0) {
      element('line-about').textContent = head;
      return;
    }
    const kind = about.kinds[rank.kind[i]], many = rank.calls[i] > 1 ? rank.calls[i] + ' calls, the longest: ' : '';
    element('line-about').textContent = head + ': ' + many + kind.op + (kind.high > 0 ? ', ' + sizes(kind) : '') +
      (kind.comm >= 0 ? ', ' + comm(kind) : '') + ', from ' + time(rank.start[i], 9) + ', for ' +
      time(rank.end[i] - rank.start[i]);
  };
  const choose = (r, slice) => {
    chosen.rank = Math.min(about.ranks - 1, Math.max(0, r));
    chosen.slice = slice;
    view.top = Math.max(Math.min(view.top, chosen.rank), chosen.rank - rows + 1);
    describe();
    redraw();
  };
  // The next shown call in this direction; it is moved into view.
  const step = by => {
    const rank = ranks[chosen.rank];
    let i = chosen.slice < 0 ? firstAt(rank, view.from + 1) : chosen.slice + by;
    while (i >= 0 && i < rank.n && !isShown(rank.kind[i])) i += by;
    if (i < 0 || i >= rank.n) return;
    const length = view.to - view.from;
    if (rank.start[i] < view.from || rank.end[i] > view.to)
      show(rank.start[i] - length / 4, rank.start[i] + length * 3 / 4);
    choose(chosen.rank, i);
  };
  const enter = () => {
    const rank = ranks[chosen.rank], i = chosen.slice;
    if (i < 0) return;
    const length = rank.end[i] - rank.start[i] || 50;
    show(rank.start[i] - length, rank.end[i] + length);
  };
  const all = () => show(about.from_ns, about.to_ns);
  const page = by => {
    view.top = Math.max(0, Math.min(about.ranks - rows, view.top + by * rows));
    choose(by < 0 ? view.top : view.top + rows - 1, -1);
  };
  const actions = {in: () => zoom(0.5), out: () => zoom(2), left: () => move(-0.25), right: () => move(0.25),
    all, up: () => page(-1), down: () => page(1), save: () => saveForPerfetto(about, ranks, label),
    open: () => openInPerfetto(about, ranks, label)};
  const keys = {'+': actions.in, '=': actions.in, '-': actions.out, ArrowLeft: actions.left, ArrowRight: actions.right,
    Home: all, ArrowUp: () => choose(chosen.rank - 1, -1), ArrowDown: () => choose(chosen.rank + 1, -1),
    PageUp: actions.up, PageDown: actions.down, n: () => step(1), p: () => step(-1), Enter: enter};
  canvas.onkeydown = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
  for (const button of document.querySelectorAll('#line [data-do]')) button.onclick = actions[button.dataset.do];

  // A mouse selects a range of time; a finger moves the view; both select a call.
  const under = event => {
    const r = view.top + Math.floor((event.offsetY - TOP) / row), t = timeAt(event.offsetX);
    if (r < 0 || r >= about.ranks || event.offsetX < LEFT) return null;
    const i = firstAt(ranks[r], t);
    const hit = i < ranks[r].n && ranks[r].start[i] <= t + 1 / scale() && isShown(ranks[r].kind[i]);
    return {r, i: hit ? i : -1};
  };
  canvas.onpointerdown = event => {
    drag = {from: event.offsetX, x: event.offsetX, touch: event.pointerType !== 'mouse'};
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = event => {
    const hit = under(event);
    if (hit && !drag) choose(hit.r, hit.i);
    if (!drag) return;
    if (drag.touch) {
      const by = (drag.x - event.offsetX) / scale();
      show(view.from + by, view.to + by);
    }
    drag.x = Math.max(LEFT, Math.min(width, event.offsetX));
    redraw();
  };
  canvas.onpointerup = event => {
    const far = drag && Math.abs(drag.x - drag.from) > 4, hit = under(event);
    if (far && !drag.touch) {
      const ends = [timeAt(drag.from), timeAt(drag.x)].sort((a, b) => a - b);
      show(ends[0], ends[1]);
    } else if (!far && hit) choose(hit.r, hit.i);
    drag = null;
    redraw();
  };
  canvas.onpointercancel = () => { drag = null; };
  canvas.onwheel = event => {
    if (!event.ctrlKey && !event.shiftKey) return; // else the page scrolls
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    if (event.ctrlKey) zoom(by > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
    else move(by > 0 ? 0.1 : -0.1);
  };

  // ---- legend, communicators ----

  const addKey = op => {
    const button = document.createElement('button'), key = document.createElement('span');
    key.className = 'key';
    key.style.background = 'var(' + colourOf(op) + ')';
    button.append(key, op);
    button.setAttribute('aria-pressed', 'false');
    button.onclick = () => {
      chosen.op = chosen.op === op ? null : op;
      for (const other of element('line-keys').children)
        other.setAttribute('aria-pressed', String(other === button && chosen.op === op));
      redraw();
    };
    element('line-keys').append(button);
  };
  ops.forEach(addKey);
  const select = element('line-comm'), used = [...new Set(about.kinds.map(k => k.comm))].sort((a, b) => a - b);
  const addComm = (value, text) => select.append(new Option(text, value));
  addComm(-2, 'all communicators');
  for (const c of used) if (c >= 0) addComm(c, about.comms[c]);
  select.hidden = select.options.length < 3;
  select.onchange = () => { chosen.comm = +select.value; redraw(); };

  // ---- begin ----

  element('line').hidden = false;
  readColours();
  lay();
  draw();
  describe();
  addEventListener('resize', () => { lay(); redraw(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); redraw(); });
  document.body.dataset.slices = ranks.reduce((n, rank) => n + rank.n, 0);
  document.body.dataset.calls = ranks.reduce((n, rank) => n + rank.calls.reduce((a, b) => a + b, 0), 0);
  document.body.dataset.loaded = Math.round(performance.now());
})();
