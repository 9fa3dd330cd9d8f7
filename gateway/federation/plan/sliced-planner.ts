import { type DocumentNode, parse, print } from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../../platform/index.ts';
import { withEntityRoots } from './entity-roots.ts';
import { openPlanner, type PlanQuery } from './planner.ts';
import { SupergraphParts } from './supergraph-parts.ts';
import { sliceFor } from './supergraph-slice.ts';

export interface SlicedPlannerOptions {
  /** The most characters of SDL that a slice may have: 100 take 0.1 ms and 12 KB. */
  readonly sliceCharacters?: number;
  /** The most object types that an interface or a union may have. */
  readonly sliceTypes?: number;
  /** For how long the planner of the whole supergraph is kept after the last operation that needed it, in milliseconds. */
  readonly wholeIdleMs?: number;
}

/** To open it takes 1 s for 30 subgraphs of 200 types; it takes 150 MB as long as it is kept. */
const WHOLE_IDLE_MS = 300_000;

/** Of slices whose planners are kept, in characters of SDL. */
const KEPT_PLANNERS: CacheBounds = { entries: Infinity, weights: [200_000] };

/**
 * Plans each operation over a slice of the supergraph. A planner takes a hundred times the memory of its SDL, and most
 * operations use a few of thousands of types.
 *
 * An operation whose slice is too large is planned over the whole supergraph, whose planner is opened for it and closed when
 * no such operation has come for some time. Where one field alone may need too much, that planner is opened at once, plans
 * all operations and stays open.
 */
export class SlicedPlanner {
  readonly #supergraph: string | readonly string[];
  readonly #parts: SupergraphParts;
  readonly #sliceCharacters: number;
  /** By the SDL of their slices. */
  readonly #kept = new SecondChanceCache<PlanQuery>(KEPT_PLANNERS);
  #openedCharacters = 0;
  readonly #isWholeKept: boolean;
  #whole: PlanQuery | undefined;
  #wholeWithEntities: PlanQuery | undefined;
  readonly #wholeIdleMs: number;
  readonly #onClosed: () => void;
  #closing: NodeJS.Timeout | undefined;

  /**
   * @param supergraph SDL, as a whole or by its definitions.
   * @param onClosed called when the planner of the whole supergraph has been closed: it is garbage then
   * @throws PlannerUnavailable where the addon does not load; whatever the parser or the addon throws for a broken one
   */
  constructor(
    supergraph: string | readonly string[],
    options: SlicedPlannerOptions = {},
    onClosed: () => void = () => {},
  ) {
    const { sliceCharacters = 60_000, sliceTypes = 100, wholeIdleMs = WHOLE_IDLE_MS } = options;
    this.#supergraph = supergraph;
    this.#sliceCharacters = sliceCharacters;
    this.#wholeIdleMs = wholeIdleMs;
    this.#onClosed = onClosed;
    this.#parts = new SupergraphParts(supergraph);
    this.#isWholeKept = this.#parts.widest > sliceTypes;
    if (this.#isWholeKept) this.#whole = this.#open(this.#sdl);
    else this.#planOver(print(sliceFor(parse('{ __typename }'), this.#parts)));
  }

  /** Characters of SDL that planners were opened of so far, which go when their objects are collected as garbage. */
  get openedCharacters(): number {
    return this.#openedCharacters;
  }

  readonly plan: PlanQuery = (document, operationName, labels) => {
    const slice = this.#sliceOf(document, print);
    if (slice !== undefined) return this.#planOver(slice)(document, operationName, labels);
    this.#whole ??= this.#open(this.#sdl);
    this.#closeLater();
    return this.#whole(document, operationName, labels);
  };

  /** Plans over the supergraph `withEntityRoots`. */
  readonly planEntities: PlanQuery = (document, operationName, labels) => {
    const slice = this.#sliceOf(document, withEntityRoots);
    if (slice !== undefined) return this.#planOver(slice)(document, operationName, labels);
    this.#wholeWithEntities ??= this.#open(withEntityRoots(parse(this.#sdl, { noLocation: true })));
    this.#closeLater();
    return this.#wholeWithEntities(document, operationName, labels);
  };

  get #sdl(): string {
    return typeof this.#supergraph === 'string' ? this.#supergraph : this.#supergraph.join('\n\n');
  }

  /** @returns undefined for an operation whose slice is too large. */
  #sliceOf(document: string, write: (slice: DocumentNode) => string): string | undefined {
    if (this.#isWholeKept) return undefined;
    const sdl = write(sliceFor(parsed(document), this.#parts));
    return sdl.length > this.#sliceCharacters ? undefined : sdl;
  }

  #closeLater(): void {
    if (this.#isWholeKept) return;
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => {
      this.#whole = undefined;
      this.#wholeWithEntities = undefined;
      this.#onClosed();
    }, this.#wholeIdleMs).unref();
  }

  #open(sdl: string): PlanQuery {
    const plan = openPlanner(sdl);
    this.#openedCharacters += sdl.length;
    return plan;
  }

  #planOver(sdl: string): PlanQuery {
    const known = this.#kept.get(sdl);
    if (known) return known;
    const plan = this.#open(sdl);
    this.#kept.keep(sdl, plan, [sdl.length]);
    return plan;
  }
}

/** A document that does not parse is left to the planner, which rejects it. */
function parsed(document: string): DocumentNode {
  try {
    return parse(document, { noLocation: true });
  } catch {
    return parse('{ __typename }', { noLocation: true });
  }
}
