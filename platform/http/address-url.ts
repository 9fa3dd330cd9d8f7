import { ANY_ADDRESS } from './http-server.ts';

const ANY = new Set(['0.0.0.0', '::', ANY_ADDRESS]);

/** Where a service that listens on `host` and `port` is reached from this machine. */
export function addressUrl(host: string, port: number): string {
  const name = ANY.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
