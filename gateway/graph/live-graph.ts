import type { Logger } from '../../platform/index.ts';
import { type Metadata, MetadataError } from '../metadata/index.ts';
import type { Surroundings } from '../sources/index.ts';
import { Assembly, isMistake } from './assembly.ts';
import type { Generation } from './generation.ts';

/** For how long after the start a missing source keeps the gateway from being ready. */
const START_GRACE_MS = 10_000;

/** The graph that is being served: the one place where a generation takes the place of another. */
export class LiveGraph {
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  #assembly: Assembly;
  #graceTimer: NodeJS.Timeout | undefined;
  #graceOver = false;

  /** @throws MetadataError when the sources that the metadata describes cannot work. */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger) {
    this.#surroundings = surroundings;
    this.#log = log;
    this.#assembly = new Assembly(metadata, surroundings, log);
  }

  /** The generation that new operations run on. */
  get current(): Generation {
    return this.#assembly.generation;
  }

  /**
   * Whether callers can be sent here: every source is part of the graph or, once the start is some time ago, at least
   * those that let callers log in.
   */
  get ready(): boolean {
    if (this.current.missing.length === 0) return true;
    const { publicRole } = this.#surroundings;
    const forLogin = this.#assembly.metadata.remoteSchemas.filter((remote) =>
      remote.permissions?.some((permission) => permission.role === publicRole),
    );
    return this.#graceOver && forLogin.every((remote) => this.#assembly.hasOpened(remote.name));
  }

  /** Begins to ask the remote schemas for their types. */
  start(): void {
    this.#graceTimer = setTimeout(() => {
      this.#graceOver = true;
    }, START_GRACE_MS).unref();
    this.#assembly.keepFresh();
    void this.#assembly.open();
  }

  /**
   * Makes a generation of other metadata beside the one in force and puts it in its place. Operations under way finish
   * on the one that they began with.
   *
   * @param ask whether remote schemas that are described as before are asked for their types again.
   * @throws MetadataError when it would not work; the one in force stays.
   */
  async reload(metadata: Metadata, ask: boolean): Promise<void> {
    const next = new Assembly(metadata, this.#surroundings, this.#log);
    await next.open(this.#assembly, ask);
    const mistakes = [...next.failures].filter(([, error]) => isMistake(error));
    const problems = [
      ...mistakes.flatMap(([name, error]) => error.problems.map((message) => problem(metadata, name, message))),
      ...next.generation.conflicts.map(({ source, reason }) => problem(metadata, source, reason)),
    ];
    if (problems.length > 0) throw new MetadataError(problems);
    this.#assembly.stop();
    this.#assembly = next;
    next.keepFresh();
  }

  stop(): void {
    clearTimeout(this.#graceTimer);
    this.#assembly.stop();
  }
}

function problem(metadata: Metadata, source: string, message: string) {
  const index = metadata.remoteSchemas.findIndex((remote) => remote.name === source);
  const place = index < 0 ? metadata.place('actions', []) : metadata.place('remoteSchemas', [index]);
  return { ...place, message: index < 0 ? message : `remote schema "${source}": ${message}` };
}
