import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessGroup, until } from '../../bench/machine/index.ts';
import { PACKAGE_DIR } from '../../bench/package-dir.ts';
import type { BalancerAddresses, Balancing } from './balancer-addresses.ts';
import { listens } from './haproxy.ts';
import { findProgram } from './programs.ts';

const EXAMPLES = join(PACKAGE_DIR, 'deploy/nginx');

/** What the official image has around the files in conf.d. */
const mainFile = (directory: string) => `
daemon off;
worker_processes 2;
pid ${directory}/nginx.pid;
error_log stderr;
events { worker_connections 4096; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  include ${directory}/portico.conf;
}
`;

/**
 * Runs nginx with the example templates as they are, and the script that follows /readyz beside it. The variables of the
 * templates are filled in as the official image does.
 */
export async function nginx(group: ProcessGroup, wiring: BalancerAddresses): Promise<Balancing | undefined> {
  const program = findProgram('nginx');
  if (program === undefined) return undefined;
  const directory = group.directory('nginx');
  const upstreams = join(directory, 'upstreams.conf');
  const variables = {
    PORTICO_PUBLIC_LISTEN: wiring.publicAddress,
    PORTICO_AUTH_LISTEN: wiring.authAddress,
    PORTICO_UPSTREAMS: upstreams,
    PORTICO_MAX_REQUESTS_PER_ADDRESS: String(wiring.maxRequestsPerAddress ?? 2_000),
    // A pattern that fits no file is no error.
    PORTICO_TLS_INCLUDE: wiring.tls ? join(directory, 'tls.conf') : join(directory, 'no-tls[.]conf'),
    PORTICO_TLS_LISTEN: wiring.tls?.address ?? '',
    PORTICO_TLS_CERTIFICATE: wiring.tls?.certificate ?? '',
    PORTICO_TLS_KEY: wiring.tls?.key ?? '',
  };
  for (const name of ['portico.conf', ...(wiring.tls ? ['tls.conf'] : [])]) {
    const template = readFileSync(join(EXAMPLES, `${name}.template`), 'utf8');
    writeFileSync(join(directory, name), fillTemplate(template, variables));
  }
  writeFileSync(join(directory, 'nginx.conf'), mainFile(directory));
  const follower = group.start({
    name: 'follow-readyz',
    command: ['sh', join(EXAMPLES, 'follow-readyz.sh'), upstreams],
    environment: {
      PORTICO_GATEWAYS: wiring.gateways.join(' '),
      PORTICO_AUTH_SERVICES: wiring.authServices.join(' '),
      RELOAD: `! test -e ${directory}/nginx.pid || kill -HUP $(cat ${directory}/nginx.pid)`,
    },
  });
  await until('the upstreams', follower, async () => (existsSync(upstreams) ? true : undefined));
  const server = group.start({
    name: 'nginx',
    command: [program, '-p', directory, '-c', join(directory, 'nginx.conf')],
  });
  await listens(server, wiring.publicAddress);
  return {
    async stop() {
      await follower.stop();
      await server.stop();
    },
  };
}

/** As envsubst: names that are not among the variables are nginx's own. */
function fillTemplate(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(/\$\{(\w+)\}/g, (text, name: string) => variables[name] ?? text);
}
