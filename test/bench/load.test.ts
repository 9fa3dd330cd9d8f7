import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { COUNTER, digits, httpRequestText, nodeLoad, ResponseReader } from '../../bench/loads/index.ts';
import { ProcessGroup, parseCoreList } from '../../bench/machine/index.ts';
import { groupOf, summarise } from '../../bench/profile/index.ts';
import { expectResponse } from '../../bench/targets/index.ts';

describe('requests', () => {
  const request = {
    url: `http://127.0.0.1:80/r/${COUNTER}?n=${COUNTER}`,
    method: 'POST',
    headers: { accept: 'x/y' },
    body: `{"n":"${COUNTER}"}`,
  } as const;

  test('carry the counter, always as long, and a right content length', () => {
    const text = httpRequestText(request, 7);
    expect(text).toContain('POST /r/00000007?n=00000007 HTTP/1.1\r\n');
    expect(text).toContain('accept: x/y\r\n');
    expect(text).toMatch(/\r\ncontent-length: 16\r\n/);
    expect(text.endsWith('\r\n\r\n{"n":"00000007"}')).toBe(true);
    expect(httpRequestText(request, 99_999_999)).toHaveLength(text.length);
  });

  test('start again when the counter has no more digits', () => {
    expect(digits(100_000_001)).toBe('00000001');
  });
});

describe('answers', () => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
  const chunked = 'HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
  const empty = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';

  test.each([
    ['with a length', whole, 200],
    ['in chunks', chunked, 503],
    ['without any content', empty, 200],
  ])('%s end at the same place however they are cut', (_, text, status) => {
    for (let cut = 1; cut < text.length; cut++) {
      const reader = new ResponseReader();
      expect(reader.read(Buffer.from(text.slice(0, cut)))).toBeUndefined();
      expect(reader.read(Buffer.from(text.slice(cut)))).toBe(status);
    }
  });

  test('follow each other on one connection', () => {
    const reader = new ResponseReader();
    expect([whole, chunked, whole].map((text) => reader.read(Buffer.from(text)))).toEqual([200, 503, 200]);
  });
});

describe('what is started', () => {
  const group = new ProcessGroup();
  let url = '';
  const script = `
    const server = require('node:http').createServer((request, response) => {
      if (request.url === '/refused') response.statusCode = 500;
      response.end(JSON.stringify({ data: { path: request.url } }));
    });
    server.listen(0, '127.0.0.1', () => process.stdout.write('http://127.0.0.1:' + server.address().port));
  `;

  beforeAll(async () => {
    const member = group.start({ name: 'server', command: [process.execPath, '-e', script], standardOutput: 'pipe' });
    url = await new Promise((resolve) => member.process.stdout?.once('data', (text) => resolve(String(text))));
  });
  afterAll(() => group.close());

  const get = (path: string) => ({ url: url + path, method: 'GET', headers: {}, body: '' }) as const;

  test('answers are compared whole before anything is measured', async () => {
    await expectResponse(get('/a'), { data: { path: '/a' } });
    await expect(expectResponse(get('/a'), { data: { path: '/b' } })).rejects.toThrow(/answered 200/);
    await expect(expectResponse(get('/refused'), { data: { path: '/refused' } })).rejects.toThrow(/answered 500/);
  });

  test('the load generator sends the given number of requests, and counts refusals', async () => {
    const load = nodeLoad(group);
    const plan = { connections: 3, seconds: 30, requests: 200, core: undefined };
    const good = await load.run(get('/a'), plan);
    expect(good.requests).toBeGreaterThanOrEqual(200);
    expect(good.requests).toBeLessThan(210);
    expect(good.errors).toBe(0);
    expect(good.p99Ms).toBeGreaterThanOrEqual(good.p50Ms);
    expect(good.first).toMatchObject({ unanswered: 0 });
    expect(good.first?.responsesUntilAll).toBeGreaterThanOrEqual(3);
    const bad = await load.run(get('/refused'), plan);
    expect(bad.errors).toBe(bad.requests);
  });

  test('everything ends with the group', async () => {
    const other = new ProcessGroup();
    const member = other.start({ name: 'sleeper', command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'] });
    let cleanedUp = false;
    other.afterwards(async () => {
      cleanedUp = member.hasEnded();
    });
    await other.close();
    expect(cleanedUp).toBe(true);
    expect(member.hasEnded()).toBe(true);
    expect(() => process.kill(member.pid, 0)).toThrow(/ESRCH/);
    expect(() => other.start({ name: 'late', command: [process.execPath, '-e', ''] })).toThrow(/being stopped/);
  });
});

describe('the rest', () => {
  test('core lists are read as Linux writes them', () => {
    expect(parseCoreList('0-2,5,7-8\n')).toEqual([0, 1, 2, 5, 7, 8]);
    expect(parseCoreList('')).toEqual([]);
  });

  test('a profile is summed up by group and function, without idle time and what is to be skipped', () => {
    const frame = (id: number, functionName: string, url: string) => ({
      id,
      callFrame: { functionName, url, lineNumber: 1 },
    });
    const profile = {
      nodes: [
        frame(1, '(idle)', ''),
        frame(2, 'run', 'file:///portico/dist/gateway/pipeline/run.js'),
        frame(3, 'dispatch', 'file:///portico/node_modules/undici/lib/pool.js'),
      ],
      samples: [3, 1, 2, 2, 3],
      timeDeltas: [1_000, 500, 300, 300, 200],
    };
    const { groups, functions } = summarise(profile, 1);
    expect(groups.map(([name]) => name)).toEqual(['portico/pipeline', 'undici']);
    expect(groups[0]?.[1]).toBeCloseTo(0.75);
    expect(functions[0]?.[0]).toBe('run [portico/pipeline]');
  });

  test.each([
    ['(garbage collector)', '', '(garbage collector)'],
    ['writev', '', 'native'],
    ['emit', 'node:internal/streams/readable', 'node:streams'],
    ['f', 'file:///x/node_modules/@prisma/client/index.js', '@prisma/client'],
    ['g', 'file:///x/dist/gateway/server.js', 'portico/gateway'],
    ['h', 'file:///x/dist/packages/undici.js', 'undici'],
    ['i', 'file:///x/dist/packages/@graphql-tools/utils.js', '@graphql-tools/utils'],
    ['j', 'file:///x/dist/packages/graphql-ws/use/ws.js', 'graphql-ws'],
    ['k', 'file:///x/dist/packages/chunks/3BVQKO5G.js', 'packages'],
  ])('%s in "%s" belongs to %s', (functionName, url, group) => {
    expect(groupOf({ functionName, url, lineNumber: 0 })).toBe(group);
  });

  test.each([['dist/gateway/operations/cli/main.js', /^var COMMAND_OPTIONS/, 'portico/operations']])(
    'a function in the bundle %s belongs to the room that it comes from',
    (bundle, code, group) => {
      const lineNumber = readFileSync(bundle, 'utf8')
        .split('\n')
        .findIndex((line) => code.test(line));
      expect(lineNumber).toBeGreaterThan(0);
      expect(groupOf({ functionName: 'f', url: pathToFileURL(bundle).href, lineNumber })).toBe(group);
    },
  );
});
