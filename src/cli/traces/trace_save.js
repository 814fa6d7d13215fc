// trace_save.js - the slices of a time line for ui.perfetto.dev: JSON, compressed while it is made;
// as a file, or sent to a window of that site.
'use strict';
const packForPerfetto = (about, ranks, label) => {
  const CHUNK = 5000; // slices
  const slice = (rank, r, i) => {
    const kind = about.kinds[rank.kind[i]];
    return JSON.stringify({ph: 'X', name: kind.op, cat: kind.class, pid: r, tid: 0, ts: rank.start[i] / 1e3,
      dur: (rank.end[i] - rank.start[i]) / 1e3,
      args: {what: label(kind), comm: about.comms[kind.comm] || '', calls: rank.calls[i]}});
  };
  async function* parts() {
    yield '{"displayTimeUnit":"ns","traceEvents":[\n' + about.hosts.map((host, r) => JSON.stringify(
      {ph: 'M', name: 'process_name', pid: r, tid: 0, args: {name: 'rank ' + r + ' on ' + host}})).join(',\n');
    for (const [r, rank] of ranks.entries())
      for (let from = 0; from < rank.n; from += CHUNK) {
        let text = '';
        for (let i = from; i < Math.min(rank.n, from + CHUNK); i++) text += ',\n' + slice(rank, r, i);
        yield text;
      }
    yield '\n]}\n';
  }
  const source = parts();
  const text = new ReadableStream({
    async pull(controller) {
      const {value, done} = await source.next();
      if (done) controller.close(); else controller.enqueue(value);
    }});
  const bytes = text.pipeThrough(new TextEncoderStream()).pipeThrough(new CompressionStream('gzip'));
  return new Response(bytes).blob();
};

const saveForPerfetto = async (about, ranks, label) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await packForPerfetto(about, ranks, label));
  link.download = 'attune-trace.json.gz';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// The window answers PONG as soon as it can receive a trace, which it keeps in the browser.
const openInPerfetto = async (about, ranks, label) => {
  const site = 'https://ui.perfetto.dev', other = window.open(site);
  if (!other) return;
  const buffer = await (await packForPerfetto(about, ranks, label)).arrayBuffer();
  await new Promise(done => {
    const timer = setInterval(() => other.postMessage('PING', site), 100);
    addEventListener('message', function listen(event) {
      if (event.source !== other || event.data !== 'PONG') return;
      clearInterval(timer);
      removeEventListener('message', listen);
      done();
    });
  });
  other.postMessage({perfetto: {buffer, title: document.title}}, site);
};
