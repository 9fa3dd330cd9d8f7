import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { LOG_EVENTS as AUTH_SERVICE_EVENTS } from '../auth-service/http/log-events.ts';
import { LOG_EVENTS as GATEWAY_EVENTS } from '../gateway/log-events.ts';

const PAGE = new URL('../docs/logs.md', import.meta.url);

test.each([
  ['gateway', GATEWAY_EVENTS],
  ['auth service', AUTH_SERVICE_EVENTS],
])('the page about logs lists the events of the %s', async (process, events) => {
  const page = await readFile(PAGE, 'utf8');
  const [, rest = ''] = page.split(`## Events of the ${process}\n`);
  const [section = ''] = rest.split('\n## ');
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| (.+) \|$/gm)].map(([, event, meaning]) => [event, meaning]);

  expect(rows).toEqual(Object.entries(events));
});
