// trace_data.js - the data of a time line: decodes the slices; words for times, sizes and calls.
'use strict';
const traceData = (() => {
  const element = id => document.getElementById(id);
  if (!element('line-json')) return null;
  const about = JSON.parse(element('line-json').textContent);

  // ---- data: the stream of src/trace/slices.h ----

  const decode = text => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    let at = 0;
    const varint = () => {
      let v = 0, scale = 1;
      for (; bytes[at] >= 128; scale *= 128) v += (bytes[at++] - 128) * scale;
      return v + bytes[at++] * scale;
    };
    const ranks = [];
    for (let r = 0; r < about.ranks; r++) {
      const n = varint();
      const rank = {n, start: new Float64Array(n), end: new Float64Array(n),
        kind: new Uint32Array(n), calls: new Uint32Array(n)};
      for (let i = 0, last = 0; i < n; i++) {
        const kind = varint(), gap = varint();
        const start = last + (gap % 2 ? -(gap + 1) / 2 : gap / 2);
        last = start + varint();
        rank.start[i] = start;
        rank.end[i] = last;
        rank.kind[i] = Math.floor(kind / 2);
        rank.calls[i] = kind % 2 ? varint() : 1;
      }
      ranks.push(rank);
    }
    return ranks;
  };
  const ranks = decode(element('line-data').textContent);
  element('line-data').textContent = '';

  // ---- words ----

  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const time = (ns, digits = 4) => {
    const [unit, name] = units.find(u => Math.abs(ns) >= u[0]) || units[3];
    return +(ns / unit).toPrecision(digits) + ' ' + name;
  };
  const size = n => {
    let k = 0;
    for (; n >= 1024 && k < 4; k++) n /= 1024;
    return +n.toPrecision(4) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][k];
  };
  const sizes = k => k.low === k.high ? size(k.low) : size(k.low) + ' to ' + size(k.high);
  const comm = k => k.comm >= 0 ? about.comms[k.comm] : '';
  const label = k => k.op + (k.high > 0 ? ' ' + sizes(k) : '') + (k.comm > 0 ? ', ' + comm(k) : '');

  return {about, ranks, units, time, sizes, comm, label};
})();
