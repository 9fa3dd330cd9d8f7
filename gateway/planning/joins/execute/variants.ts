import { type CacheBounds, SecondChanceCache, type Sliced, takeTurns } from '../../../../platform/index.ts';
import type { Variables } from '../../../graphql/syntax/index.ts';
import { UnplannableOperation } from '../errors.ts';
import type { ClientOperation, Conditions } from '../plan/index.ts';

/** The maximum number of cached variants of an operation. */
const KEPT_VARIANTS: CacheBounds = { entries: 16, weights: [] };

/**
 * The variants of an operation, one for each set of values of its `@skip` and `@include` variables. Each is planned at
 * its first use. Concurrent users of a variant share the planning.
 */
export class Variants<Planned> {
  readonly #conditions: ClientOperation['conditions'];
  readonly #plan: (conditions: Conditions) => Sliced<Planned>;
  readonly #kept = new SecondChanceCache<Planned | UnplannableOperation>(KEPT_VARIANTS);
  readonly #inProgress = new Map<string, Promise<Planned>>();

  constructor(conditions: ClientOperation['conditions'], plan: (conditions: Conditions) => Sliced<Planned>) {
    this.#conditions = conditions;
    this.#plan = plan;
    if (conditions.length === 0) this.of({});
  }

  /**
   * Returns the variant for the given variables, or a promise if planning it yields to other work.
   * @throws UnplannableOperation; the promise may reject with it too
   */
  of(variables: Variables): Planned | Promise<Planned> {
    const decided = this.#conditions.length === 0 ? [] : this.#decide(variables);
    const key = decided.length === 0 ? '' : decided.map(([, holds]) => (holds ? '1' : '0')).join('');
    const known = this.#kept.get(key);
    if (known instanceof UnplannableOperation) throw known;
    return known ?? this.#inProgress.get(key) ?? this.#make(key, new Map(decided));
  }

  #decide(variables: Variables): [string, boolean][] {
    return this.#conditions.map(({ name, byDefault }) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return [name, given === undefined ? byDefault : given === true];
    });
  }

  #make(key: string, conditions: Conditions): Planned | Promise<Planned> {
    const keep = (made: Planned) => {
      this.#kept.keep(key, made);
      return made;
    };
    const fail = (error: unknown): never => {
      // A rejection takes as long to find as a plan, so it is cached too.
      if (error instanceof UnplannableOperation) this.#kept.keep(key, error);
      throw error;
    };
    let made: Planned | Promise<Planned>;
    try {
      made = takeTurns(this.#plan(conditions));
    } catch (error) {
      return fail(error);
    }
    if (!(made instanceof Promise)) return keep(made);
    const planning = made.then(keep, fail).finally(() => this.#inProgress.delete(key));
    // An operation may be prepared but never run, or its request may already have ended.
    planning.catch(() => {});
    this.#inProgress.set(key, planning);
    return planning;
  }
}
