import { connect } from 'node:net';
import { TRICKS } from './hostile.ts';
import type { Random } from './random.ts';
import { type Call, type Caller, callTo, type Entrance, framed } from './requests.ts';

/** What is sent over one connection: honest calls of several callers, and a trick among them. */
export interface Sequence {
  readonly seed: number;
  readonly trick: string;
  readonly calls: readonly Call[];
  readonly bytes: string;
}

const ENTRANCES: readonly Entrance[] = ['pass-through', 'pass-through', 'pass-through', 'rest', 'graphql'];
const MANNERS = ['', '', '', 'early', 'hints', 'chunked', 'refused', 'broken', 'switch', 'wrong-switch', 'closing'];

/** The sequence of a seed. The numbers of its markers begin behind `first`. */
export function sequenceOf(seed: number, first: number, callers: readonly Caller[], random: Random): Sequence {
  const calls: Call[] = [];
  const honest = (...more: string[]): string => {
    const marker = `m${first + calls.length}-honest`;
    const call = callTo(random.pick(ENTRANCES), marker, random.pick(callers), random);
    calls.push(call);
    return framed(call, random, ...more);
  };
  const [trick, write] = random.pick(Object.entries(TRICKS));
  let bytes = '';
  for (let count = random.below(3); count > 0; count--) bytes += honest();
  const marker = `m${first + calls.length}-hostile`;
  const call = callTo(random.pick(ENTRANCES), marker, random.pick(callers), random, random.pick(MANNERS));
  calls.push(call);
  bytes += write(call, random);
  for (let count = random.below(3); count > 0; count--) bytes += honest();
  bytes += honest('Connection: close');
  return { seed, trick, calls, bytes };
}

/** For how long nothing may come before a connection counts as one that waits for more from us. */
const QUIET_MS = 250;

/** Sends a sequence in pieces of any length. @returns everything that came back. */
export function play({ bytes }: Sequence, port: number, random: Random): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const quiet = setTimeout(() => socket.destroy(), QUIET_MS * 4);
    const isBrokenOff = random.chance(10);
    socket.setNoDelay(true);
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      quiet.refresh();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(quiet);
      resolve(text);
    });
    let at = 0;
    const writeMore = () => {
      const end = random.chance(60) ? bytes.length : at + 1 + random.below(bytes.length - at);
      socket.write(Buffer.from(bytes.slice(at, end), 'latin1'));
      at = end;
      if (at < bytes.length) setImmediate(writeMore);
      else if (isBrokenOff) socket.destroySoon();
    };
    socket.once('connect', writeMore);
  });
}

/** The markers and tenants that answers name, in their order. */
export function namedIn(text: string): readonly { marker: string; tenant: string }[] {
  return [...text.matchAll(/\{"marker":"(m\d+-\w*)","tenant":"?(\w+)"?\}/g)].map(([, marker = '', tenant = '']) => ({
    marker,
    tenant,
  }));
}
