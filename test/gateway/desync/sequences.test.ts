import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SEED } from '../../seed.ts';
import { type Issuer, keeper, openPlatform } from '../harness/index.ts';
import { openCanary, type Sighting, seenIn } from './canary.ts';
import { headerOf } from './message-reader.ts';
import { openRandom } from './random.ts';
import { type Caller, callTo, type Entrance, type OperationContext } from './requests.ts';
import { namedIn, play, type Sequence, sequenceOf } from './sequence.ts';

// DESYNC_RUNS=5000 looks further, TEST_SEED=random elsewhere, and TEST_SEED=… repeats a run.
const RUNS = Number(process.env.DESYNC_RUNS ?? 300);
const AT_ONCE = 6;
/** Of many that are wrong. */
const SHOWN = 5;

const { keep, close } = keeper();
afterAll(close);
const canary = await keep(openCanary());
const { gateway, issuer } = await keep(
  openPlatform({
    environment: { CANARY: canary.url },
    metadata: {
      'services.yaml': [{ name: 'canary', path: '/canary', url: '{{CANARY}}/base', timeout_seconds: 20 }],
      'actions.yaml': {
        actions: [
          {
            name: 'echo',
            definition: {
              kind: 'synchronous',
              handler: '{{CANARY}}/base/action',
              forward_client_headers: true,
              timeout: 5,
            },
            permissions: [{ role: 'user' }],
          },
        ],
        custom_types: { objects: [{ name: 'Echo' }] },
      },
      'actions.graphql': 'type Query { echo(marker: String!): Echo } type Echo { marker: String tenant: String }',
      'query_collections.yaml': [
        {
          name: 'saved',
          definition: {
            queries: [
              { name: 'echo', query: 'query echo($marker: String!) { echo(marker: $marker) { marker tenant } }' },
            ],
          },
        },
      ],
      'rest_endpoints.yaml': ['echo', 'echo/:marker'].map((url) => ({
        name: `echo at ${url}`,
        url,
        methods: url === 'echo' ? ['POST'] : ['GET'],
        definition: { query: { collection_name: 'saved', query_name: 'echo' } },
      })),
    },
  }),
);
const callers = ['1', '2', '3'].map((tenant) => callerOf(issuer, tenant));

function callerOf({ token }: Issuer, tenant: string): Caller {
  return { tenant, token: token({ hasura: { 'x-hasura-tenant-id': tenant, 'x-hasura-user-id': `u${tenant}` } }) };
}

/** Whoever calls while the others attack, over connections that nobody else uses. */
class Bystander {
  readonly calls: OperationContext[] = [];
  readonly wrongAnswers: string[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #isOver = false;

  async callUntilStopped(number: number): Promise<void> {
    const random = openRandom(SEED + number);
    for (let count = 0; !this.#isOver; count++) {
      const entrance = random.pick<Entrance>(['pass-through', 'pass-through', 'rest', 'graphql']);
      const call = callTo(entrance, `m${number}${count}-bystander`, random.pick(callers), random);
      this.calls.push(call);
      const answer = await this.#ask(call);
      const [named, ...more] = namedIn(answer);
      if (named?.marker !== call.marker || named.tenant !== call.caller.tenant || more.length > 0)
        this.wrongAnswers.push(`${call.marker} of ${call.caller.tenant}: ${answer}`);
    }
    this.#agent.destroy();
  }

  stop(): void {
    this.#isOver = true;
  }

  #ask({ method, target, headers, body }: OperationContext): Promise<string> {
    return new Promise((resolve) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: gateway.port,
          path: target,
          method,
          agent: this.#agent,
          headers: [...headers, `Content-Length: ${body.length}`].flatMap((line) => line.split(': ')),
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          response.on('end', () => resolve(text));
          response.on('error', (error) => resolve(String(error)));
        },
      );
      outgoing.on('error', (error) => resolve(String(error)));
      outgoing.end(body);
    });
  }
}

/** What came of all sequences. */
const problems: string[] = [];
const bystanders = [8001, 8002, 8003].map((number) => ({ number, bystander: new Bystander() }));
const byMarker = new Map<string, OperationContext>();
const tricks = new Map<string, number>();
let answered = 0;

function checkAnswers({ seed, trick, calls, opening, isPatient }: Sequence, text: string): void {
  const complain = (what: string) =>
    problems.push(`sequence ${seed} (${trick}): ${what}\n${JSON.stringify(text.slice(0, 2_000))}`);
  const own = calls.map(({ marker }) => marker);
  const named = new Set(namedIn(text).map(({ marker }) => marker));
  for (const { marker } of isPatient ? calls : [])
    if (opening.includes(`x-request-id: ${marker}\r`) && !named.has(marker)) complain(`no answer to ${marker}`);
  let last = -1;
  for (const { marker, tenant } of namedIn(text)) {
    const at = own.indexOf(marker);
    const call = calls[at];
    if (!call) complain(`an answer to ${marker}, which was not asked here`);
    else if (call.caller.tenant !== tenant) complain(`${marker} of ${call.caller.tenant} was answered for ${tenant}`);
    if (at >= 0 && at <= last) complain(`the answer to ${marker} came out of turn`);
    last = at;
    answered++;
  }
}

beforeAll(
  async () => {
    process.stderr.write(`TEST_SEED=${SEED} DESYNC_RUNS=${RUNS}\n`);
    const calling = bystanders.map(({ number, bystander }) => bystander.callUntilStopped(number));
    let next = 0;
    const attack = async () => {
      while (next < RUNS) {
        const seed = SEED + next++;
        const random = openRandom(seed);
        const sequence = sequenceOf(seed, 10_000 + (seed - SEED) * 10, callers, random);
        for (const call of sequence.calls) byMarker.set(call.marker, call);
        tricks.set(sequence.trick, (tricks.get(sequence.trick) ?? 0) + 1);
        checkAnswers(sequence, await play(sequence, gateway.port, random));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
    for (const { bystander } of bystanders) bystander.stop();
    await Promise.all(calling);
    for (const { bystander } of bystanders) for (const call of bystander.calls) byMarker.set(call.marker, call);
    process.stderr.write(
      `${RUNS} sequences, ${tricks.size} tricks, ${answered} answers to them; ` +
        `${bystanders.reduce((sum, { bystander }) => sum + bystander.calls.length, 0)} calls of bystanders; ` +
        `${canary.sightings.length} requests at the service\n`,
    );
  },
  60_000 + RUNS * 500,
);

test('every answer on a connection is to a request of that connection, in turn, for its own caller', () => {
  expect(problems.slice(0, SHOWN)).toEqual([]);
});

test('concurrent callers get their own responses', () => {
  expect(bystanders.flatMap(({ bystander }) => bystander.wrongAnswers).slice(0, SHOWN)).toEqual([]);
});

test('the service reads nothing that is no request', () => {
  expect(canary.garbage.slice(0, SHOWN)).toEqual([]);
});

test('the service sees each request that the gateway took, once, with the claims of its own caller', () => {
  const seenBefore = new Set<string>();
  const logged = new Set([...gateway.logs().matchAll(/"request_id":"([^"]*)"/g)].map(([, id]) => id));
  const wrong = canary.sightings.flatMap((seen) => problemWith(seen, seenBefore, logged));
  expect(wrong.slice(0, SHOWN)).toEqual([]);
});

function problemWith(
  seen: Sighting,
  seenBefore: Set<string>,
  logged: ReadonlySet<string | undefined>,
): readonly string[] {
  const { message, target } = seen;
  const { marker, tenant } = seenIn(message);
  const call = byMarker.get(marker);
  const found: string[] = [];
  if (!call) found.push('nobody sent it');
  else if (call.caller.tenant !== tenant) found.push(`it is of tenant ${call.caller.tenant}`);
  if (seenBefore.has(marker)) found.push('it came twice');
  seenBefore.add(marker);
  if (!/^\/base(\/(action|m\d+-\w+)(\?manner=.*)?)?$/.test(target)) found.push('nobody asked for its target');
  if (headerOf(message, 'x-request-id') !== marker) found.push('its head is of another request');
  const claims = message.headers.filter(
    ([name]) => name.toLowerCase().replace(/[^a-z0-9]/g, '-') === 'x-hasura-tenant-id',
  );
  if (claims.some(([, value]) => value !== call?.caller.tenant)) found.push('it claims something else too');
  if (!logged.has(marker)) found.push('the gateway does not know it');
  return found.map((what) => `${message.start} of tenant ${tenant}: ${what}\n${JSON.stringify(message.headers)}`);
}
