import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a gateway waits for the webhook's answer. */
export const WEBHOOK_TIMEOUT_SECONDS = 3;
const WELL_MS = 20;
const LATE_MS = 1_500;
const TOO_LATE_MS = WEBHOOK_TIMEOUT_SECONDS * 1000 + 1_000;
const RETRY_AFTER_SECONDS = 1;
/** A job that was called as often as that is answered well, so that each ends. */
const MOST_MISBEHAVIOURS = 3;

/** One call of the webhook, in the order in which they came. */
export interface WebhookCall {
  /** The job's id: of actions that is the idempotency key. */
  readonly key: string;
  /** What the job was accepted with: whose it is, and which of theirs; of a cron trigger, its time. */
  readonly caller: string;
  readonly number: number;
  readonly scheduledTime: string | undefined;
  /** The subscription that it is a delivery for, and the event; undefined for other jobs. */
  readonly delivery: { readonly subscription: string; readonly event: string } | undefined;
  readonly behaviour: WebhookBehaviour;
  /** Whether the work was done; without that the call has to come again. */
  hasEffect: boolean;
  /** Another call of the same job was under way when it came. */
  readonly overlaps: boolean;
}

export interface ChaosWebhook {
  readonly url: string;
  calls(): Promise<readonly WebhookCall[]>;
  close(): Promise<void>;
}

type Behave = (response: ServerResponse, answer: string, work: () => void) => Promise<void> | void;

const WELL: Behave = async (response, answer, work) => {
  await sleep(Math.random() * WELL_MS);
  work();
  response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
};

/** The ways of a webhook, and how many calls of a hundred meet each. All others are answered well. */
const BEHAVIOURS = {
  'answers late': [
    2,
    async (response, answer, work) => {
      await sleep(LATE_MS);
      await WELL(response, answer, work);
    },
  ],
  'does its work and answers when the caller has gone': [
    1,
    async (response, answer, work) => {
      work();
      await sleep(TOO_LATE_MS);
      response.end(answer);
    },
  ],
  hangs: [1, () => {}],
  'answers twice': [
    2,
    (response, answer, work) => {
      work();
      const oneAnswer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`;
      (response.socket as Socket).end(oneAnswer + oneAnswer);
    },
  ],
  'does its work and resets the connection': [
    2,
    (response, _, work) => {
      work();
      (response.socket as Socket).resetAndDestroy();
    },
  ],
  '503 with Retry-After': [
    3,
    (response) => {
      response.writeHead(503, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end();
    },
  ],
} satisfies Record<string, readonly [percent: number, Behave]>;

export type WebhookBehaviour = keyof typeof BEHAVIOURS | 'answers';

/** A webhook of asynchronous actions and cron triggers that misbehaves now and then, and records its calls. */
export async function openChaosWebhook(): Promise<ChaosWebhook> {
  const calls: WebhookCall[] = [];
  const callsOfKey = new Map<string, number>();
  /** Requests whose caller still waits. */
  const underWay = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as HookBody;
    const subscription = body.subject === undefined ? undefined : (request.url ?? '').slice(1);
    const key = String(
      request.headers['idempotency-key'] ?? (subscription && request.headers['webhook-id']) ?? body.id,
    );
    // Of a caller that was killed the end of its connection may be next in line.
    await new Promise(setImmediate);
    const before = underWay.get(key) ?? 0;
    underWay.set(key, before + 1);
    const isOver = () => underWay.set(key, (underWay.get(key) ?? 1) - 1);
    response.once('close', isOver);
    const count = (callsOfKey.get(key) ?? 0) + 1;
    callsOfKey.set(key, count);
    const behaviour = count > MOST_MISBEHAVIOURS ? 'answers' : anyBehaviour();
    const call: WebhookCall = {
      key,
      caller: body.session_variables?.['x-hasura-user-id'] ?? (subscription ? `${subscription} ${body.subject}` : ''),
      number: body.input?.number ?? body.data?.number ?? 0,
      scheduledTime: body.scheduled_time,
      delivery: subscription === undefined ? undefined : { subscription, event: body.id ?? '' },
      behaviour,
      hasEffect: false,
      overlaps: before > 0,
    };
    calls.push(call);
    const behave: Behave = behaviour === 'answers' ? WELL : BEHAVIOURS[behaviour][1];
    await behave(response, JSON.stringify({ number: call.number }), () => {
      call.hasEffect = true;
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: async () => calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface HookBody {
  readonly id?: string;
  readonly scheduled_time?: string;
  /** Of an event. */
  readonly subject?: string;
  readonly data?: { readonly number: number };
  readonly input?: { readonly number: number };
  readonly session_variables?: Readonly<Record<string, string>>;
}

function anyBehaviour(): WebhookBehaviour {
  let left = Math.random() * 100;
  for (const name of Object.keys(BEHAVIOURS) as (keyof typeof BEHAVIOURS)[]) {
    left -= BEHAVIOURS[name][0];
    if (left < 0) return name;
  }
  return 'answers';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
