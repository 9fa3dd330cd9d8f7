import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  readonly build?: string;
  readonly image?: string;
}

const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};

// docker-compose 1 pulls what a service does not build itself, and parallel builds must not write one name.
test('what is made here is built by each service that runs it, under a name of its own', () => {
  const ours = ['gateway', 'auth-service', 'orders'];
  expect(ours.map((name) => [services[name]?.build, services[name]?.image])).toEqual(ours.map(() => ['.', undefined]));
});

test('what is pulled has a version', () => {
  const pulled = Object.values(services).filter(({ build }) => build === undefined);
  expect(pulled.map(({ image }) => image)).toEqual([expect.stringMatching(/^[\w/.-]+:\d/)]);
});
