import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { freePort } from '../../bench/machine/free-port.ts';
import { SEMI_SPACE_MIB } from '../../platform/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMANDS = join(ROOT, 'deploy/image');
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const WAS_READY = '/tmp/was-ready';

/** @returns the exit code of the health check. */
async function health(...words: string[]): Promise<number> {
  const child = spawn(join(COMMANDS, 'portico-health'), words, { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code as number;
}

/** A service whose addresses answer with these statuses. */
async function answering(statuses: Readonly<Record<string, number>>, run: (port: string) => Promise<void>) {
  const answer: RequestListener = ({ url = '' }, response) => {
    response.statusCode = statuses[url] ?? 404;
    response.end('{}');
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await run(String((server.address() as AddressInfo).port));
  } finally {
    server.close();
  }
}

describe('the image', () => {
  test('lets in each file that the Dockerfile copies, and holds the licence', () => {
    const letIn = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of ['LICENSE', 'deploy/image']) expect(letIn).toContain(`!${name}`);
    expect(DOCKERFILE).toMatch(/^COPY --from=build .*\/portico\/LICENSE /m);
    expect(DOCKERFILE).toMatch(/^COPY deploy\/image \/usr\/local\/bin$/m);
  });

  test('has commands that can be run, each of a file of dist/ that is there', () => {
    for (const name of readdirSync(COMMANDS)) {
      const path = join(COMMANDS, name);
      expect([name, statSync(path).mode & 0o111]).toEqual([name, 0o111]);
      for (const [, file = ''] of readFileSync(path, 'utf8').matchAll(/ \/portico\/(dist\/\S+)/g))
        expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    }
  });
});

test('processes of the image have the young generation of a gateway, unless the container sets NODE_OPTIONS', () => {
  const [, options] = /^ENV NODE_OPTIONS=(.*)$/m.exec(DOCKERFILE.slice(DOCKERFILE.lastIndexOf('FROM '))) ?? [];
  expect(options).toBe(`--max-semi-space-size=${SEMI_SPACE_MIB}`);
});

describe('the health check of containers', () => {
  test('is that of each service of docker-compose.yml which has our image, at its port', () => {
    const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
    const checks = Object.entries<{ build?: string; healthcheck?: { test: string[] } }>(services).flatMap(
      ([name, { build, healthcheck }]) => (build === undefined ? [] : [[name, healthcheck?.test]]),
    );
    expect(Object.fromEntries(checks)).toEqual({
      gateway: ['CMD', 'portico-health', '8080'],
      runner: ['CMD', 'portico-health', '8080'],
      'auth-service': ['CMD', 'portico-health', '4001'],
      orders: ['CMD', 'portico-health', '4010'],
      'database-setup': undefined,
    });
  });

  test('passes while /readyz answers 200', async () => {
    await answering({ '/readyz': 200 }, async (port) => expect(await health(port)).toBe(0));
    await answering({ '/readyz': 503, '/healthz': 200 }, async (port) => expect(await health(port)).not.toBe(0));
    expect(await health(String(await freePort()))).not.toBe(0);
  });

  test('looks at /healthz once the process has been ready, where unhealthy containers are ended', async () => {
    const until = (port: string) => health(port, '--until-ready');
    rmSync(WAS_READY, { force: true });
    try {
      const waiting = { '/readyz': 503, '/healthz': 200 };
      await answering(waiting, async (port) => expect(await until(port)).not.toBe(0));
      await answering({ '/readyz': 200 }, async (port) => expect(await until(port)).toBe(0));
      await answering(waiting, async (port) => expect(await until(port)).toBe(0));
      await answering({ '/readyz': 503, '/healthz': 503 }, async (port) => expect(await until(port)).not.toBe(0));
      expect(await until(String(await freePort()))).not.toBe(0);
    } finally {
      rmSync(WAS_READY, { force: true });
    }
  });
});
