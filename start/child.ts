import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type ChildMessage, compiledFile } from '../platform/index.ts';
import type { Screen } from './screen.ts';

/** A process to start. */
export interface ChildSpec {
  readonly name: string;
  /** The compiled script's path. */
  readonly script: string;
  readonly arguments?: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Its standard output is not shown. */
  readonly quiet?: boolean;
  /** Compiled modules that take long to load and have no side effects. */
  readonly preload?: readonly string[];
}

/** A child process that runs one service, or one task that ends by itself. */
export interface Child {
  readonly name: string;
  /** The port that it listens on, once it serves. @throws ChildEnded if it ends before that. */
  readonly ready: Promise<number>;
  readonly ended: Promise<ChildEnded>;
  /** Sends SIGTERM and waits until it has ended; kills it after 20 s. */
  stop(): Promise<void>;
}

/** A child has ended. */
export class ChildEnded extends Error {
  constructor(
    readonly child: string,
    readonly how: string,
    readonly clean: boolean,
    /** Whether it has served before. */
    readonly served: boolean,
    /** Whether it has written to standard error, where services print why they cannot start. */
    readonly explained: boolean,
  ) {
    super(`${child} ended (${how})`);
    this.name = 'ChildEnded';
  }
}

/** A child that has loaded its modules, or does so, and waits for `begin`. */
export interface PreloadedChild extends Child {
  /** Runs the script, with what `environment` adds to that of the specification. */
  begin(environment: NodeJS.ProcessEnv): void;
}

/** What a preloaded child waits for. */
export interface BeginMessage {
  readonly type: 'begin';
  readonly environment: NodeJS.ProcessEnv;
}

const PRELOADING_SCRIPT = compiledFile('start/preload.js');
const KILL_SERVICE_AFTER_MS = 20_000;

/** Starts a child and shows its output on `screen`. */
export function startChild(spec: ChildSpec, screen: Screen): Child {
  return superviseChild(spec, fork(spec.script, spec.arguments ?? [], optionsOf(spec)), screen);
}

/**
 * Starts a child that loads `spec.preload` while the services that it depends on are still starting, and then waits for
 * `begin`. Stopping it before that prints nothing.
 */
export function preloadChild(spec: ChildSpec, screen: Screen): PreloadedChild {
  const child = fork(PRELOADING_SCRIPT, [spec.script, ...(spec.preload ?? [])], optionsOf(spec));
  return {
    ...superviseChild(spec, child, screen),
    begin(environment) {
      if (child.connected) child.send({ type: 'begin', environment } satisfies BeginMessage);
    },
  };
}

function optionsOf(spec: ChildSpec): ForkOptions {
  return {
    env: spec.environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own: Ctrl-C reaches the launcher alone, which then stops the children in their order.
    detached: true,
  };
}

function superviseChild(spec: ChildSpec, child: ChildProcess, screen: Screen): Child {
  let served = false;
  let explained = false;
  const outputRead = [
    eachLine(child.stdout, (line) => spec.quiet || screen.log(spec.name, line)),
    eachLine(child.stderr, (line) => {
      explained = true;
      screen.relay(line);
    }),
  ];

  const ended = endOf(child).then(async ({ how, clean }) => {
    await Promise.all(outputRead);
    return new ChildEnded(spec.name, how, clean, served, explained);
  });
  const ready = new Promise<number>((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'notice') screen.note(spec.name, message.text);
      if (message.type !== 'ready') return;
      served = true;
      resolve(message.port);
    });
    ended.then(reject);
  });
  // The failure is also in `ended`: a caller need not handle both.
  ready.catch(() => {});

  return {
    name: spec.name,
    ready,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), KILL_SERVICE_AFTER_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

function endOf(child: ChildProcess): Promise<{ how: string; clean: boolean }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: `cannot be started: ${error.message}`, clean: false }));
    child.once('exit', (code, signal) =>
      resolve({ how: signal ? `signal ${signal}` : `exit code ${code}`, clean: code === 0 }),
    );
  });
}

function eachLine(stream: Readable | null, take: (line: string) => unknown): Promise<void> {
  if (!stream) return Promise.resolve();
  return new Promise((resolve) => {
    createInterface({ input: stream }).on('line', take).on('close', resolve);
  });
}
