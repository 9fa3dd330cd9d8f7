import { ANY_ADDRESS } from './http-server.ts';

const ANY = new Set(['0.0.0.0', '::', ANY_ADDRESS]);

/** Returns the URL of a local service that listens on `host` and `port`. */
export function addressUrl(host: string, port: number): string {
  const name = ANY.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
