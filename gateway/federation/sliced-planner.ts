import { type DocumentNode, parse, print } from 'graphql';
import { withEntityRoots } from './entity-roots.ts';
import { openPlanner, type Plan } from './planner.ts';
import { SupergraphParts } from './supergraph-parts.ts';
import { sliceFor } from './supergraph-slice.ts';

export interface SlicedPlannerOptions {
  /** The most characters of SDL that a slice may have: 100 take 0.1 ms and 12 KB. */
  readonly sliceCharacters?: number;
  /** The most object types that an interface or a union may have. */
  readonly sliceTypes?: number;
}

/** Of slices whose planners are kept, in characters of SDL. */
const KEPT_CHARACTERS = 200_000;

/**
 * Plans operations over the slices of a supergraph that they are about. A planner takes a hundred times the memory of
 * its SDL, and most operations are about some few types of thousands.
 *
 * An operation that is about too much is planned over the whole supergraph, whose planner is opened then, which takes as
 * long as that of all operations would. It is opened at once where one field alone may be about too much.
 */
export class SlicedPlanner {
  readonly #pieces: readonly string[];
  readonly #parts: SupergraphParts;
  readonly #sliceCharacters: number;
  /** By the SDL of their slices, the one that was used longest ago first. */
  readonly #kept = new Map<string, Plan>();
  #keptCharacters = 0;
  #openedCharacters = 0;
  #whole: Plan | undefined;
  #wholeWithEntities: Plan | undefined;

  /**
   * @param pieces SDL of the supergraph, of some definitions each.
   * @throws PlannerUnavailable where the addon does not load; whatever the parser or the addon throws for a broken one
   */
  constructor(pieces: readonly string[], { sliceCharacters = 60_000, sliceTypes = 100 }: SlicedPlannerOptions = {}) {
    this.#pieces = pieces;
    this.#sliceCharacters = sliceCharacters;
    this.#parts = new SupergraphParts(pieces);
    if (this.#parts.widest > sliceTypes) this.#whole = openPlanner(this.#sdl);
    else this.#planOver(print(sliceFor(parse('{ __typename }'), this.#parts)));
  }

  /** Characters of SDL that planners were opened of so far, which go when their objects are collected as garbage. */
  get openedCharacters(): number {
    return this.#openedCharacters;
  }

  readonly plan: Plan = (document, operationName, labels) => {
    const slice = this.#whole ? undefined : this.#sliceOf(document, print);
    if (slice === undefined) this.#whole ??= openPlanner(this.#sdl);
    const plan = slice === undefined ? this.#whole : this.#planOver(slice);
    return plan?.(document, operationName, labels);
  };

  /** Plans over the supergraph `withEntityRoots`. */
  readonly planEntities: Plan = (document, operationName, labels) => {
    const slice = this.#whole ? undefined : this.#sliceOf(document, withEntityRoots);
    if (slice === undefined)
      this.#wholeWithEntities ??= openPlanner(withEntityRoots(parse(this.#sdl, { noLocation: true })));
    const plan = slice === undefined ? this.#wholeWithEntities : this.#planOver(slice);
    return plan?.(document, operationName, labels);
  };

  get #sdl(): string {
    return this.#pieces.join('\n\n');
  }

  /** @returns undefined for an operation that is about too much. */
  #sliceOf(document: string, write: (slice: DocumentNode) => string): string | undefined {
    const sdl = write(sliceFor(parsed(document), this.#parts));
    return sdl.length > this.#sliceCharacters ? undefined : sdl;
  }

  #planOver(sdl: string): Plan {
    const known = this.#kept.get(sdl);
    const plan = known ?? openPlanner(sdl);
    if (known) this.#kept.delete(sdl);
    else {
      this.#keptCharacters += sdl.length;
      this.#openedCharacters += sdl.length;
    }
    this.#kept.set(sdl, plan);
    for (const [oldest] of this.#kept) {
      if (this.#keptCharacters <= KEPT_CHARACTERS || oldest === sdl) break;
      this.#kept.delete(oldest);
      this.#keptCharacters -= oldest.length;
    }
    return plan;
  }
}

/** What does not parse is for the planner to refuse. */
function parsed(document: string): DocumentNode {
  try {
    return parse(document, { noLocation: true });
  } catch {
    return parse('{ __typename }', { noLocation: true });
  }
}
