import {
  type Answer,
  type GraphqlBody,
  type GraphqlOptions,
  keeper,
  type MetadataFiles,
  openGateway,
  openIssuer,
  type Received,
  reply,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

type Answering = Parameters<typeof webhook>[0];

/** What one test needs of actions: their YAML, their types, and what the webhook does. */
export interface ActionWorldOptions {
  /** The text of `actions.yaml`, or the actions; a handler may be `{{HOOK_URL}}/…`. */
  readonly actions: string | readonly unknown[];
  readonly types: string;
  readonly environment?: Record<string, string>;
  readonly otherFiles?: MetadataFiles;
  readonly answer?: Answering;
}

export interface ActionWorld {
  readonly gateway: TestGateway;
  /** A token of user 7. */
  readonly token: string;
  readonly hook: TestServer;
  /** Sends an operation as user 7. */
  call(query: string, options?: GraphqlOptions): Promise<Answer<GraphqlBody>>;
  /** The last request that the webhook got. */
  received(): Received;
  answerBy(answering: Answering): void;
  answerWith(status: number, body: unknown, headers?: Record<string, string>): void;
  close(): Promise<void>;
}

/** A gateway with the given actions and one webhook that answers them all. */
export async function openActionWorld(options: ActionWorldOptions): Promise<ActionWorld> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const token = issuer.token();
  let answering: Answering = options.answer ?? (() => null);
  const hook = await keep(webhook((received, response) => answering(received, response)));
  const { actions, types: sdl } = options;
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { HOOK_URL: hook.url, ...options.environment },
      metadata: {
        'actions.yaml': typeof actions === 'string' ? actions : { actions },
        'actions.graphql': sdl,
        ...options.otherFiles,
      },
    }).catch(async (error: unknown) => {
      await close();
      throw error;
    }),
  );
  return {
    gateway,
    hook,
    token,
    call: (query, more) => gateway.graphql(query, { token, ...more }),
    received: () => {
      const last = hook.requests.at(-1);
      if (!last) throw new Error('the webhook was not asked');
      return last;
    },
    answerBy: (by) => {
      answering = by;
    },
    answerWith: (status, body, headers) => {
      answering = (_, response) => reply(response, status, body, headers);
    },
    close,
  };
}

/** An action that users may call, with more in its definition. */
export function action(name: string, definition: Record<string, unknown> = {}) {
  return {
    name,
    definition: { handler: `{{HOOK_URL}}/${name}`, timeout: 5, ...definition },
    permissions: [{ role: 'user' }],
  };
}
