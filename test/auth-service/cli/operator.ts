import jwt from 'jsonwebtoken';
import { preferredEngine } from '../../database/index.ts';
import { environment } from '../service.ts';
import { createWorld } from '../world.ts';
import { runCommand } from './run.ts';

export const PASSWORD = 'a password of an operator’s choice';
/** Something that is given to commands, and must not come back. */
export const CANARY = 'canary-51b7c4';

/** Somebody who runs `portico-auth` beside a service of their own, with the tenant 1, `acme`, and its user `alice`. */
export async function openOperator() {
  // The commands are the same on all engines, and each of them is a process of its own, so one has to do.
  const world = await createWorld(preferredEngine());

  const run = (words: string[], input?: string) => runCommand(words, environment(world.databaseUrl), input);

  /** Runs a command that has to succeed. @returns what it prints for programs. */
  async function ok(words: string[], input?: string) {
    const { code, stdout, stderr } = await run([...words, '--json'], input);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  const login = async (username: string, password: string, tenant_id = 1) =>
    (await world.service.login({ username, password, tenant_id })).body.data?.auth_user_login;

  /** The claims in the token of a login. */
  async function claimsOf(username: string, password: string, tenantId = 1) {
    const token = (await login(username, password, tenantId))?.data?.access_token ?? '';
    return jwt.decode(token, { json: true })?.['https://hasura.io/jwt/claims'];
  }

  await ok(['tenant', 'add', '1', 'acme']);
  await ok(
    ['user', 'add', 'acme', 'alice', '--role', 'user', '--role', 'manager'],
    `${PASSWORD}
`,
  );
  return { world, run, ok, login, claimsOf, close: () => world.close() };
}
