import { join } from 'node:path';
import { Pool } from 'undici';
import { freePort, type GroupProcess, until } from '../machine/index.ts';
import { PACKAGE_DIR } from '../package-dir.ts';
import type { BenchDependencies } from '../targets/index.ts';
import { installedVersion, installPackage } from '../targets/install.ts';
import type { JobAcceptor, QueueSystem } from './queue-system.ts';

const ACCEPTOR_CONNECTIONS = 64;

/** pg-boss keeps finished jobs in the same table as the others for twelve hours. */
const PG_BOSS_FINISHED = `
  INSERT INTO pgboss.job (name, state, data, started_on, completed_on)
  SELECT 'work', 'completed', '{}', now(), now() FROM generate_series(1, $1::int)`;

export const peerQueues: readonly QueueSystem[] = [
  peerQueue('pg-boss', PG_BOSS_FINISHED),
  // Deletes a job when it is finished.
  peerQueue('graphile-worker', undefined),
];

function peerQueue(name: string, keepFinished: string | undefined): QueueSystem {
  const directory = join(PACKAGE_DIR, 'bench/peers', name);
  const start = async (
    role: 'accept' | 'run',
    environment: Readonly<Record<string, string>>,
    dependencies: BenchDependencies,
  ): Promise<GroupProcess> => {
    await installPackage({ directory, family: name, package: name }, dependencies);
    return dependencies.group.start({
      name: `${name}-${role}`,
      command: [process.execPath, 'server.mjs'],
      directory,
      environment: { NODE_ENV: 'production', ROLE: role, ...environment },
    });
  };
  return {
    name,
    title: name,
    keepFinished,
    version: () => installedVersion(directory, name),
    async startAcceptor(databaseUrl, _, dependencies): Promise<JobAcceptor> {
      const port = await freePort();
      const member = await start('accept', { DATABASE_URL: databaseUrl, PORT: String(port) }, dependencies);
      const pool = new Pool(`http://127.0.0.1:${port}`, { connections: ACCEPTOR_CONNECTIONS });
      const post = async (body: object) => {
        const answer = await pool.request({ path: '/', method: 'POST', body: JSON.stringify(body) });
        return ((await answer.body.json()) as { id?: unknown }).id != null;
      };
      await until('it to listen', member, async () => {
        const { body } = await pool.request({ path: '/', method: 'POST', body: '{"tenant":"first","number":0}' });
        await body.dump();
        return true;
      });
      return {
        process: member,
        enqueue: post,
        stop: async () => {
          await pool.destroy();
          await member.stop();
        },
      };
    },
    startRunner: (databaseUrl, webhookUrl, dependencies) =>
      start('run', { DATABASE_URL: databaseUrl, WEBHOOK_URL: webhookUrl }, dependencies),
  };
}
