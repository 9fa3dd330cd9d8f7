import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphqlBody,
  gatewayEnvironment,
  type Issuer,
  keeper,
  send,
  until,
  writeMetadata,
} from '../harness/index.ts';

const WITHOUT_PLANNER = `
  const Module = require('node:module');
  const load = Module._load;
  Module._load = function (name, ...rest) {
    if (name.includes('router-query-planner')) throw new Error('no addon for this machine');
    return load.call(this, name, ...rest);
  };
`;

export interface GatewayWithoutPlanner {
  /** Sends an operation as a user. */
  ask(query: string, variables?: unknown): Promise<GraphqlBody>;
  /** Every log line so far. */
  logs(): string;
  close(): Promise<void>;
}

/** A gateway in a process of its own, for which the query planner does not load. */
export async function openWithoutPlanner(
  issuer: Issuer,
  remotes: readonly object[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GatewayWithoutPlanner> {
  const { keep, close } = keeper();
  const { directory } = await keep(writeMetadata({ 'remote_schemas.yaml': remotes }));
  const preload = join(directory, 'without-planner.cjs');
  writeFileSync(preload, WITHOUT_PLANNER);
  const gateway = spawn(process.execPath, ['--require', preload, 'dist/gateway/main.js'], {
    env: { PATH: process.env.PATH, ...gatewayEnvironment(directory, { issuer }), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await keep({ close: () => void gateway.kill('SIGKILL') });
  let logs = '';
  gateway.stdout.on('data', (text: Buffer) => {
    logs += text.toString();
  });
  const port = await until('it listens', () => /"port":(\d+)/.exec(logs)?.[1]);
  await until('it is ready', async () => (await send(`http://127.0.0.1:${port}/readyz`)).status === 200);
  const ask: GatewayWithoutPlanner['ask'] = async (query, variables) => {
    const { body } = await send<GraphqlBody>(`http://127.0.0.1:${port}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${issuer.token()}` },
      body: JSON.stringify({ query, variables }),
    });
    return body;
  };
  return { ask, logs: () => logs, close };
}
