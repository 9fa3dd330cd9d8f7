import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Author } from '../audit/index.ts';

/** Returns the actor of a command: a user of this machine. All events of one command share a request id. */
export function operatorHere(program: string): Author {
  return {
    actor: { kind: 'operator', id: nameHere() },
    origin: { address: null, userAgent: `${program} on ${hostname()}`, requestId: randomUUID() },
  };
}

/** In a container, the user may have only a number. */
function nameHere(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
