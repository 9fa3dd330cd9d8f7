import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { ResponseReader } from './answer-reader.ts';
import { digits, httpRequestText, type LoadPlan, type LoadRequest, type LoadWindow } from './load.ts';

// The process of Node.js's load generator. It uses raw sockets and prepared requests, one at a time on each connection. It
// reads its task from an environment variable and writes its results as JSON.
const task: { request: LoadRequest; plan: LoadPlan } = JSON.parse(process.env.BENCH_LOAD ?? '{}');
process.stdout.write(JSON.stringify(await generateLoad(task.request, task.plan)));

async function generateLoad(request: LoadRequest, plan: LoadPlan): Promise<LoadWindow> {
  const next = requestMaker(request);
  const latencies = createHistogram();
  const firstLatencies = createHistogram();
  const { hostname, port } = new URL(request.url);
  const began = performance.now();
  const deadline = began + plan.seconds * 1000;
  const wanted = plan.requests ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  let answered = 0;
  let errors = 0;
  let responsesUntilAll = 0;

  const isOver = () => sent >= wanted || performance.now() >= deadline;

  function runConnection(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      const reader = new ResponseReader();
      let sentAt = 0;
      let isFirst = true;
      const send = () => {
        sent++;
        sentAt = performance.now();
        socket.write(next());
      };
      const timer = setTimeout(() => socket.destroy(), Math.max(0, deadline - performance.now()));
      socket.on('connect', send);
      socket.on('data', (chunk) => {
        const status = reader.read(chunk);
        if (status === undefined) return;
        const latency = Math.max(1, Math.round((performance.now() - sentAt) * 1000));
        latencies.record(latency);
        answered++;
        if (isFirst) {
          firstLatencies.record(latency);
          responsesUntilAll = answered;
          isFirst = false;
        }
        if (status >= 400) errors++;
        if (isOver()) socket.destroy();
        else send();
      });
      socket.on('error', () => {
        errors++;
      });
      socket.on('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  const connections = Array.from({ length: plan.connections }, async () => {
    // A server may close a connection after some requests. A new one continues, unless the server is gone.
    do {
      const before = answered;
      await runConnection();
      if (answered === before) return;
    } while (!isOver());
  });
  await Promise.all(connections);

  const milliseconds = (microseconds: number) => microseconds / 1000;
  return {
    requests: answered,
    seconds: (performance.now() - began) / 1000,
    p50Ms: milliseconds(latencies.percentile(50)),
    p99Ms: milliseconds(latencies.percentile(99)),
    maxMs: milliseconds(latencies.count > 0 ? latencies.max : 0),
    errors,
    first: {
      p99Ms: milliseconds(firstLatencies.percentile(99)),
      responsesUntilAll,
      unanswered: Math.max(0, plan.connections - firstLatencies.count),
    },
  };
}

/**
 * Returns a function that returns the bytes of the next request. If the request contains the counter, only its digits are
 * rewritten.
 */
function requestMaker(request: LoadRequest): () => Buffer {
  const [zero, one] = [httpRequestText(request, 0), httpRequestText(request, 11_111_111)];
  const text = Buffer.from(zero);
  if (zero === one) return () => text;
  const places = placesOfCounter(text, Buffer.from(one));
  const distinct = request.distinct ?? 100_000_000;
  // Starts at a random number, so that a second window does not repeat the first.
  let counter = request.distinct ? 0 : Math.floor(Math.random() * 90_000_000);
  return () => {
    const bytes = Buffer.from(text);
    const number = digits(counter++ % distinct);
    for (const place of places) bytes.write(number, place, 'latin1');
    return bytes;
  };
}

function placesOfCounter(zero: Buffer, one: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; at < zero.length; at++)
    if (zero[at] !== one[at]) {
      places.push(at);
      at += 7;
    }
  return places;
}
