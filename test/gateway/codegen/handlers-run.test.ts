import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openHandlerCaller } from '../../../gateway/operations/handler-calls/index.ts';
import { isInstalled } from '../../installed.ts';
import { freePort, keeper, until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { type ActionWorld, openActionWorld } from '../sources/action-world.ts';
import { actionFiles, generate, runIn, typeProblems } from './generated.ts';

const { keep, close } = keeper();
// Handlers report their failures there.
const { error: reportError } = console;
console.error = () => {};
afterAll(async () => {
  console.error = reportError;
  await close();
});

const SECRET = 'a secret of all webhooks, known to both';
const PAY_SECRET = 'a secret of one webhook, known to that one';

const types = `
type Query {
  greet(name: String!, moods: [Mood!], at: timestamptz): Greeting!
  who: String
  lookup: String
  refuse: Int
  extended: Int
  crash: Int
  unfinished: Int
}
type Mutation { pay(amount: Int!): Boolean! }
type Greeting { text: String! moods: [Mood!]! at: timestamptz next: Greeting }
enum Mood { HAPPY SAD }
`;
const definitions = {
  greet: {},
  who: {},
  lookup: { forward_client_headers: true },
  refuse: {},
  extended: {},
  crash: {},
  unfinished: {},
  pay: { webhook_signature: { secret_from_env: 'PAY_SECRET' } },
};
const metadata = await keep(metadataDirectory(actionFiles({ sdl: types, actions: definitions })));

/** Handlers as a developer would write them. */
const TYPESCRIPT: Readonly<Record<string, string>> = {
  greet: `
    import type { Call } from './portico.js';
    import type { GreetInput, GreetOutput } from './types.js';
    export async function handle({ input, role }: Call<GreetInput>): Promise<GreetOutput> {
      const at: string | null | undefined = input.at;
      return { text: \`\${input.name} as \${role}\`, moods: input.moods ?? [], at: at ?? null };
    }`,
  who: `
    import type { Call } from './portico.js';
    import type { WhoInput, WhoOutput } from './types.js';
    export async function handle({ session }: Call<WhoInput>): Promise<WhoOutput> {
      return session['x-hasura-user-id'] ?? null;
    }`,
  lookup: `
    import type { CallWithGraph } from './portico.js';
    import type { LookupInput, LookupOutput } from './types.js';
    export async function handle(call: CallWithGraph<LookupInput>): Promise<LookupOutput> {
      const { who } = await call.graph<{ who: string | null }>('{ who }');
      return \`graph: \${who}\`;
    }`,
  refuse: `
    import { type Call, HandlerError } from './portico.js';
    import type { RefuseInput, RefuseOutput } from './types.js';
    export async function handle(_call: Call<RefuseInput>): Promise<RefuseOutput> {
      throw new HandlerError('there is no such thing', 'thing-missing', 404);
    }`,
  extended: `
    import { type Call, HandlerError } from './portico.js';
    import type { ExtendedInput, ExtendedOutput } from './types.js';
    export async function handle(_call: Call<ExtendedInput>): Promise<ExtendedOutput> {
      throw new HandlerError('no', 'unused', 400, { code: 'own', details: [1] });
    }`,
  crash: `
    import type { Call } from './portico.js';
    import type { CrashInput, CrashOutput } from './types.js';
    export async function handle(_call: Call<CrashInput>): Promise<CrashOutput> {
      throw new Error('password=hunter2');
    }`,
  pay: `
    import type { Call } from './portico.js';
    import type { PayInput, PayOutput } from './types.js';
    export async function handle({ input }: Call<PayInput>): Promise<PayOutput> {
      return input.amount > 10;
    }`,
};

const GO: Readonly<Record<string, string>> = {
  greet: `
import "context"

func handleGreet(ctx context.Context, call *Call, input GreetInput) (*Greeting, error) {
	moods := input.Moods
	if moods == nil {
		moods = []Mood{}
	}
	return &Greeting{Text: input.Name + " as " + call.Role, Moods: moods, At: input.At}, nil
}`,
  who: `
import "context"

func handleWho(ctx context.Context, call *Call, input WhoInput) (*string, error) {
	id := call.Session["x-hasura-user-id"]
	return &id, nil
}`,
  refuse: `
import "context"

func handleRefuse(ctx context.Context, call *Call, input RefuseInput) (*int, error) {
	return nil, &HandlerError{Message: "there is no such thing", Code: "thing-missing", Status: 404}
}`,
  extended: `
import "context"

func handleExtended(ctx context.Context, call *Call, input ExtendedInput) (*int, error) {
	return nil, &HandlerError{Message: "no", Extensions: map[string]any{"code": "own", "details": []int{1}}}
}`,
  crash: `
import (
	"context"
	"errors"
)

func handleCrash(ctx context.Context, call *Call, input CrashInput) (*int, error) {
	return nil, errors.New("password=hunter2")
}`,
  pay: `
import "context"

func handlePay(ctx context.Context, call *Call, input PayInput) (bool, error) {
	return input.Amount > 10, nil
}`,
};

interface Started {
  readonly url: string;
  readonly environment: Record<string, string>;
  close(): void | Promise<void>;
}

type Start = (environment: Record<string, string>) => Promise<Started>;

async function listening(listener: RequestListener, environment: Record<string, string>): Promise<Started> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    environment,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Compiles the handlers, which have to fit the generated types, and starts them. */
function startTypeScript(target: 'express' | 'fastify' | 'fetch'): Start {
  return async (environment) => {
    const { path } = await keep(Promise.resolve(generate(metadata.path, target)));
    for (const [name, text] of Object.entries(TYPESCRIPT)) writeFileSync(join(path, `action-${name}.ts`), text);
    expect(typeProblems(path)).toEqual([]);
    const { createApp, createHandler } = await import(pathToFileURL(join(path, 'js/app.js')).href);
    if (target === 'express') return listening(createApp(environment), environment);
    if (target === 'fastify') {
      const app = createApp(environment);
      return { url: await app.listen({ port: 0, host: '127.0.0.1' }), environment, close: () => app.close() };
    }
    const handle: (request: Request) => Promise<Response> = createHandler(environment);
    return listening(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const init = { method: 'POST', headers, body: Buffer.concat(chunks) };
      const handled = await handle(new Request(`http://handler.test${request.url}`, init));
      response.writeHead(handled.status, Object.fromEntries(handled.headers)).end(await handled.text());
    }, environment);
  };
}

const GO_MAIN = `package main

import (
	"handlers/actions"
	"net/http"
	"os"
)

func main() {
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), actions.Handler())
}
`;

async function startGo(environment: Record<string, string>): Promise<Started> {
  const { path } = await keep(Promise.resolve(generate(metadata.path, 'go')));
  const folder = join(path, 'actions');
  mkdirSync(folder);
  for (const file of readdirSync(path).filter((one) => one.endsWith('.go')))
    renameSync(join(path, file), join(folder, file));
  for (const [name, text] of Object.entries(GO))
    writeFileSync(join(folder, `action_${name}_handler.go`), `package actions\n${text}\n`);
  writeFileSync(join(path, 'main.go'), GO_MAIN);
  writeFileSync(join(path, 'go.mod'), 'module handlers\n\ngo 1.18\n');
  const offline = { GOFLAGS: '', GOPROXY: 'off' };
  expect(runIn(path, 'go', ['build', '-o', 'server', '.'], offline)).toEqual({ status: 0, output: '' });
  const port = await freePort();
  const child = spawn(join(path, 'server'), {
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until('the server in Go', () =>
    fetch(url, { method: 'POST' }).then(
      () => true,
      () => false,
    ),
  );
  return { url, environment, close: () => void child.kill('SIGKILL') };
}

const hasGo = isInstalled('gofmt', 'generated handlers in Go');

describe.each<[string, Start, boolean]>([
  ['express', startTypeScript('express'), true],
  ['fastify', startTypeScript('fastify'), true],
  ['fetch', startTypeScript('fetch'), true],
  ...(hasGo ? [['go', startGo, false] as [string, Start, boolean]] : []),
])('generated handlers behind a gateway: %s', (_target, start, hasGraph) => {
  let server: Started;
  let world: ActionWorld;

  async function opened(): Promise<ActionWorld> {
    if (world) return world;
    server = await keep(start({ PORTICO_WEBHOOK_SECRET: SECRET, PAY_SECRET }));
    world = await keep(
      openActionWorld({
        types,
        actions: Object.entries(definitions).map(([name, definition]) => ({
          name,
          definition: { handler: `{{HOOK_URL}}/any/path`, ...definition },
          permissions: [{ role: 'user' }],
        })),
        environment: { HOOK_URL: server.url, PORTICO_WEBHOOK_SECRET: SECRET, PAY_SECRET },
      }),
    );
    server.environment.GRAPHQL_URL = `${world.gateway.url}/v1/graphql`;
    return world;
  }

  const call = async (query: string) => (await (await opened()).call(query)).body;

  test('get typed input and return values', async () => {
    expect(
      await call(
        '{ greet(name: "Ü€😀", moods: [SAD], at: "2026-01-31T00:00:00Z") { text moods at next { text } } who }',
      ),
    ).toEqual({
      data: {
        greet: { text: 'Ü€😀 as user', moods: ['SAD'], at: '2026-01-31T00:00:00Z', next: null },
        who: '7',
      },
    });
  });

  test('verify the signature of the action’s own secret', async () => {
    expect(await call('mutation { pay(amount: 11) }')).toEqual({ data: { pay: true } });
  });

  test.each([
    ['refuse', { message: 'there is no such thing', extensions: { path: '$', code: 'thing-missing' } }],
    ['extended', { message: 'no', extensions: { code: 'own', details: [1] } }],
    ['unfinished', { message: 'unfinished is not implemented', extensions: { path: '$', code: 'not-implemented' } }],
  ])('return errors in the documented form: %s', async (field, error) => {
    expect(await call(`{ ${field} }`)).toEqual({ data: { [field]: null }, errors: [{ ...error, path: [field] }] });
  });

  test('keep the details of other exceptions to themselves', async () => {
    const body = await call('{ crash }');
    expect(body).toMatchObject({ data: { crash: null }, errors: [{ message: 'internal error' }] });
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  (hasGraph ? test : test.skip)('call back into the graph as the caller', async () => {
    expect(await call('{ lookup }')).toEqual({ data: { lookup: 'graph: 7' } });
  });

  test.each([
    ['nothing', '', 400],
    ['no JSON', '{', 400],
    ['another JSON', '[null]', 400],
    ['null', 'null', 400],
    ['no name', '{"action":{"name":{}},"input":{},"session_variables":{}}', 400],
    ['no session', '{"action":{"name":"who"},"input":{},"session_variables":null}', 400],
    ['a name of every object', '{"action":{"name":"__proto__"},"input":{},"session_variables":{}}', 404],
    ['another name of every object', '{"action":{"name":"constructor"},"input":{},"session_variables":{}}', 404],
    ['no signature', '{"action":{"name":"who"},"input":{},"session_variables":{"x-hasura-user-id":"1"}}', 401],
    ['three megabytes', `"${'x'.repeat(3 * 1024 * 1024)}"`, 413],
  ])('reject what does not come from the gateway: %s', async (_name, body, status) => {
    await opened();
    const response = await fetch(server.url, { method: 'POST', body, headers: { 'content-type': 'text/plain' } });
    const text = await response.text();
    expect([status, ...(status === 413 ? [400] : [])]).toContain(response.status);
    expect(text).not.toContain('"1"');
  });
});

test('an asynchronous action gets the key of its attempts, and types of its own output', async () => {
  const sdl = 'type Mutation { later(at: Int): Done! }\ntype Done { key: String! query: String }';
  const files = { sdl, actions: { later: { kind: 'asynchronous', handler: '{{HOOK_URL}}' } } };
  const directory = await keep(metadataDirectory(actionFiles(files)));
  const { path } = await keep(Promise.resolve(generate(directory.path, 'express')));
  writeFileSync(
    join(path, 'action-later.ts'),
    `import type { Call } from './portico.js';
     import type { LaterInput, LaterOutput } from './types.js';
     export async function handle(call: Call<LaterInput>): Promise<LaterOutput> {
       return { key: call.idempotencyKey ?? '', query: call.requestQuery };
     }`,
  );
  expect(typeProblems(path)).toEqual([]);
  const { createApp } = await import(pathToFileURL(join(path, 'js/app.js')).href);
  const { url } = await keep(listening(createApp({}), {}));
  const caller = await keep(Promise.resolve(openHandlerCaller(directory.path, { HOOK_URL: url }, new Set(['later']))));
  const called = await caller.call('later', { input: { at: 1 }, role: undefined, session: {}, headers: {} });
  expect(called).toMatchObject({
    verdict: { kind: 'value', value: { key: expect.stringMatching(/^[0-9a-f-]{36}$/), query: null } },
  });
});
