// Sends requests to a gateway at a constant rate until it is stopped (SIGTERM), and prints their outcomes.
//   usage: node load.mjs http://127.0.0.1:8080 [requests per second, 40]
// For every 20 requests: 14 GraphQL queries, 4 REST calls, one login, one refresh; the demo accounts have to be there.
import { Agent, request } from 'node:http';

const [url = 'http://127.0.0.1:8080', rate = '40'] = process.argv.slice(2);
const print = (line) => process.stdout.write(`${line}\n`);
const agent = new Agent({ keepAlive: true });
const results = new Map();
/** Failures, each with the time, the first hundred. */
const failures = [];
let failed = 0;
let slowestMs = 0;

function send(method, path, { token, body } = {}) {
  return new Promise((resolve, reject) => {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' };
    const outgoing = request(url + path, { method, headers, agent, timeout: 30_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.once('error', reject).once('end', () => {
        if (response.statusCode === 200 && !text.includes('"errors"')) resolve(JSON.parse(text));
        else reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in 30 s')));
    outgoing.once('error', reject).end(body && JSON.stringify(body));
  });
}

async function logIn() {
  const body = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };
  const { auth_user_login: login } = await send('POST', '/api/rest/auth_user_login', { body });
  session = { token: login.data.access_token, refresh: login.data.refresh_token };
}

/** One at a time: a refresh token is traded once. */
let refreshing;
async function refresh() {
  await refreshing;
  const mine = session;
  refreshing = send('POST', '/api/rest/auth_token_refresh', { body: { refresh_token: mine.refresh } });
  const { auth_token_refresh: refreshed } = await refreshing;
  mine.token = refreshed.data.access_token;
  mine.refresh = refreshed.data.refresh_token;
}

const query = () => send('POST', '/v1/graphql', { token: session.token, body: { query: '{ orders { id item } }' } });
const rest = () => send('GET', '/api/rest/orders', { token: session.token });
const TURNS = ['login', ...Array(9).fill('query'), 'refresh', ...Array(4).fill('rest'), ...Array(5).fill('query')];
const KINDS = { login: logIn, refresh, query, rest };

async function run(kind) {
  const result = results.get(kind) ?? { sent: 0, failed: 0 };
  results.set(kind, result);
  result.sent += 1;
  const began = performance.now();
  try {
    await KINDS[kind]();
    slowestMs = Math.max(slowestMs, performance.now() - began);
  } catch (error) {
    result.failed += 1;
    failed += 1;
    if (failures.length < 100) failures.push(`${new Date().toISOString()} ${kind}: ${error.message}`);
  }
}

let session;
for (let attempt = 0; session === undefined; attempt++)
  await logIn().catch(async (error) => {
    if (attempt === 180) throw error;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  });
print('the first login has succeeded: sending');

const underWay = new Set();
let turn = 0;
const began = performance.now();
const timer = setInterval(() => {
  // What a late timer has left out is made up for.
  while (turn < ((performance.now() - began) / 1000) * Number(rate)) {
    const one = run(TURNS[turn % TURNS.length]).finally(() => underWay.delete(one));
    underWay.add(one);
    turn += 1;
  }
}, 10);

process.once('SIGTERM', async () => {
  clearInterval(timer);
  await Promise.all(underWay);
  for (const failure of failures) print(failure);
  for (const [kind, { sent, failed: lost }] of results) print(`${kind.padEnd(8)} ${sent} sent, ${lost} failed`);
  const seconds = (performance.now() - began) / 1000;
  print(
    `total    ${turn} sent in ${seconds.toFixed(0)} s, ${failed} failed, the slowest took ${slowestMs.toFixed(0)} ms`,
  );
  process.exit(failed === 0 ? 0 : 1);
});
