import { readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { type BalancerName, PASSWORD, TENANTS } from '../cluster/index.ts';
import type { Fault, Scene } from '../fault.ts';
import { useBalancer } from './use-balancer.ts';

const FORGED = '203.0.113.7';
const FORGERY = {
  'x-forwarded-for': FORGED,
  'x-real-ip': FORGED,
  forwarded: `for=${FORGED}`,
  'content-type': 'application/json',
};

/** What the example configuration keeps from the public, and what it believes of it. */
export const edgeOf = (balancer: BalancerName): Fault => ({
  name: `what a client may say and see behind ${balancer}`,
  group: 'edges',
  promise:
    'TLS works, the address that a client claims is replaced, /readyz and /healthz are not public, one address cannot take every connection',
  missing: (cluster) => (cluster.hasBalancer(balancer) ? undefined : `${balancer} is not installed`),
  async run(scene) {
    await useBalancer(scene, balancer);
    scene.tookEffect();
    await checkAddress(scene);
    await checkTls(scene);
    for (const path of spellingsOf(['/readyz', '/healthz', '/hasura/healthz'])) {
      const status = await statusOf(scene.cluster.url, path);
      // 400: the balancer takes it for no path at all.
      if (status !== 404 && status !== 400) scene.broken(`${path} is public, and answers ${status}`);
    }
    await checkLimit(scene);
  },
});

export const edges: readonly Fault[] = (['haproxy', 'nginx'] as const).map(edgeOf);

/** Each path, and other ways to write it that a gateway or a balancer could take for the same. */
export function spellingsOf(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => [
    path,
    path.toUpperCase(),
    `/${path.charAt(1).toUpperCase()}${path.slice(2)}`,
    `${path}/`,
    `/${path}`,
    `${path}?strict=true`,
    `${path}#x`,
  ]);
}

/** Sends the path as it stands, where `fetch` would normalize it. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    requestPlain(url, { path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

/** How many requests may end for other reasons, as a multiple of the limit, before the check gives up. */
const MAX_LOST = 2;
const REFUSED_WITHIN_SECONDS = 60;

/** Whether one address is refused requests beyond its limit. Others go on meanwhile, as the load shows. */
async function checkLimit({ cluster: { url, wiring }, broken, onEnd, until }: Scene): Promise<void> {
  const { maxRequestsPerAddress } = wiring;
  if (maxRequestsPerAddress === undefined) return;
  let refused = 0;
  let lost = 0;
  let isOver = false;
  const hold = () => {
    // The body never comes, so the request stays.
    const headers = { 'content-type': 'application/json', 'content-length': 100 };
    const sent = requestPlain(`${url}/v1/graphql`, {
      method: 'POST',
      agent: false,
      localAddress: '127.0.0.2',
      headers,
    });
    onEnd(() => sent.destroy());
    sent.on('error', () => {});
    sent.once('response', (response) => {
      response.resume();
      if (response.statusCode === 429) refused++;
    });
    sent.once('close', () => {
      if (isOver || refused > 0 || lost > MAX_LOST * maxRequestsPerAddress) return;
      // On a busy machine one may end for another reason, and counts no longer: another one takes its place.
      lost++;
      hold();
    });
    sent.flushHeaders();
  };
  for (let index = 0; index <= maxRequestsPerAddress; index++) hold();
  const isRefused = await until(() => refused > 0, REFUSED_WITHIN_SECONDS);
  isOver = true;
  if (!isRefused) broken(`one address has ${maxRequestsPerAddress} requests at a time, and no other one is refused`);
}

interface LoginAnswer {
  readonly auth_user_login: { readonly data: { readonly access_token: string } };
}

interface SessionsAnswer {
  readonly auth_session_list: readonly { readonly client_address: string; readonly current: boolean }[];
}

/** Which address the auth service has noted for a client that claims another one. */
async function checkAddress({ cluster: { url }, broken }: Scene): Promise<void> {
  const login = await fetch(`${url}/api/rest/auth_user_login`, {
    method: 'POST',
    headers: FORGERY,
    body: JSON.stringify({ username: 'user-0', password: PASSWORD, tenant_id: TENANTS.readers }),
  });
  const { access_token } = ((await login.json()) as LoginAnswer).auth_user_login.data;
  const list = await fetch(`${url}/api/rest/auth_session_list`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  const current = ((await list.json()) as SessionsAnswer).auth_session_list.find((session) => session.current);
  if (current?.client_address !== '127.0.0.1') broken(`the client's address is taken for ${current?.client_address}`);
}

async function checkTls({ cluster: { wiring }, broken, say }: Scene): Promise<void> {
  if (!wiring.tls) return say('  SKIPPED: TLS, since openssl is not installed');
  const { address, certificate } = wiring.tls;
  const answer = await new Promise<{ status: number | undefined; hsts: string | undefined }>((resolve, reject) => {
    const sent = request(
      `https://${address}/v1/graphql`,
      { method: 'POST', ca: readFileSync(certificate), headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
      },
    );
    sent.once('error', reject);
    sent.end('{"query":"{ orders { id } }"}');
  });
  if (answer.status !== 401) broken(`over TLS a request without a token was answered ${answer.status}`);
  if (answer.hsts === undefined) broken('answers over TLS have no Strict-Transport-Security');
}
