import { connect, type Socket } from 'node:net';
import { TRICKS } from './hostile.ts';
import type { Random } from './random.ts';
import { type Caller, callTo, type Entrance, framed, type OperationContext } from './requests.ts';

/** What is sent over one connection: honest calls of several callers, and a trick among them. */
export interface Sequence {
  readonly seed: number;
  readonly trick: string;
  readonly calls: readonly OperationContext[];
  /** Honest calls, before the trick. */
  readonly opening: string;
  /** Whether the trick waits until they are answered. */
  readonly isPatient: boolean;
  /** The trick, and honest calls behind it. */
  readonly attack: string;
}

const ENTRANCES: readonly Entrance[] = ['pass-through', 'pass-through', 'pass-through', 'rest', 'graphql'];
const MANNERS = ['', '', '', 'early', 'hints', 'chunked', 'refused', 'broken', 'switch', 'wrong-switch', 'closing'];

/** The sequence of a seed. The numbers of its markers begin behind `first`. */
export function sequenceOf(seed: number, first: number, callers: readonly Caller[], random: Random): Sequence {
  const calls: OperationContext[] = [];
  const honest = (...more: string[]): string => {
    const marker = `m${first + calls.length}-honest`;
    const call = callTo(random.pick(ENTRANCES), marker, random.pick(callers), random);
    calls.push(call);
    return framed(call, random, ...more);
  };
  const [trick, write] = random.pick(Object.entries(TRICKS));
  let opening = '';
  for (let count = random.below(3); count > 0; count--) opening += honest();
  const marker = `m${first + calls.length}-hostile`;
  const call = callTo(random.pick(ENTRANCES), marker, random.pick(callers), random, random.pick(MANNERS));
  calls.push(call);
  let attack = write(call, random);
  for (let count = random.below(3); count > 0; count--) attack += honest();
  attack += honest('Connection: close');
  return { seed, trick, calls, opening, isPatient: random.chance(60), attack };
}

/** For how long nothing may come before a connection counts as one that waits for more from us. */
const QUIET_MS = 1_000;

/** Sends a sequence in pieces of any length. @returns everything that came back. */
export async function play(sequence: Sequence, port: number, random: Random): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let text = '';
  const { opening, attack, isPatient } = sequence;
  const expected = namesIn(opening);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (namedIn(text).length >= expected) resolve();
    });
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  await write(socket, opening, random);
  if (isPatient && expected > 0) await Promise.race([answered, closed]);
  socket.setTimeout(QUIET_MS, () => socket.destroy());
  await write(socket, attack, random);
  if (random.chance(10)) socket.destroySoon();
  await closed;
  return text;
}

async function write(socket: Socket, bytes: string, random: Random): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = random.chance(60) ? bytes.length : at + 1 + random.below(bytes.length - at);
    socket.write(Buffer.from(bytes.slice(at, end), 'latin1'));
    at = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How many calls ask for an answer that names them. */
function namesIn(bytes: string): number {
  return bytes.match(/^x-request-id: /gm)?.length ?? 0;
}

/** The markers and tenants that answers name, in their order. */
export function namedIn(text: string): readonly { marker: string; tenant: string }[] {
  return [...text.matchAll(/\{"marker":"(m\d+-\w*)","tenant":"?(\w+)"?\}/g)].map(([, marker = '', tenant = '']) => ({
    marker,
    tenant,
  }));
}
