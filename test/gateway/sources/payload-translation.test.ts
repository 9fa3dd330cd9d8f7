import { expect, test } from '@jest/globals';
import { PayloadTranslation } from '../../../gateway/sources/remote-schema/payload-translation.ts';
import { SEED } from '../../seed.ts';
import { openRandom, type Random } from '../desync/random.ts';
import { mergedNewer } from '../parts/newer-format.ts';

// TEST_SEED=random looks elsewhere, and TEST_SEED=… repeats a run.
const RUNS = 500;

type Path = readonly (string | number)[];
type Json = Record<string, unknown>;

/** A response in the older format, and what all of it is together. */
interface OlderResponse {
  readonly payloads: readonly Json[];
  readonly data: Json;
  /** The messages of all errors. */
  readonly errors: readonly string[];
}

/** Takes parts of a random value out, and delivers each after what it belongs to. */
class Writer {
  readonly #random: Random;
  readonly #errors: string[] = [];
  /** Results that may be sent now, one list for each order that has to be kept. */
  readonly #lanes: (() => Json)[][] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  write(): OlderResponse {
    const whole = this.#object(3);
    const data = structuredClone(whole);
    const first = this.#strip(whole, []) as Json;
    const payloads: Json[] = [{ data: first, hasNext: true }];
    while (this.#lanes.some((lane) => lane.length > 0)) {
      const incremental: Json[] = [];
      const many = 1 + this.#random.below(3);
      while (incremental.length < many) {
        const open = this.#lanes.filter((lane) => lane.length > 0);
        if (open.length === 0) break;
        const next = open[this.#random.below(open.length)]?.shift();
        if (next) incremental.push(next());
      }
      payloads.push({ incremental, hasNext: true });
    }
    if (this.#random.below(2) === 0 && payloads.length > 1)
      payloads[payloads.length - 1] = { ...payloads.at(-1), hasNext: false };
    else payloads.push({ hasNext: false });
    return { payloads, data, errors: this.#errors };
  }

  #object(depth: number): Json {
    const object: Json = {};
    for (let at = 0; at <= this.#random.below(4); at += 1) object[`f${at}`] = this.#value(depth);
    return object;
  }

  #value(depth: number): unknown {
    const kind = depth === 0 ? 0 : this.#random.below(4);
    if (kind === 0) return this.#random.below(100);
    if (kind === 1) return null;
    if (kind === 2) return Array.from({ length: this.#random.below(5) }, () => this.#object(depth - 1));
    return this.#object(depth - 1);
  }

  /** What comes at once of a value; the rest is for later. */
  #strip(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return this.#stripList(value, path);
    if (typeof value !== 'object' || value === null) return value;
    const now: Json = {};
    for (const [key, child] of Object.entries(value)) {
      if (this.#random.below(3) > 0) now[key] = this.#strip(child, [...path, key]);
      else
        this.#later(() => ({
          data: { [key]: this.#strip(child, [...path, key]) },
          path,
          ...this.#label(),
          ...this.#error(),
        }));
    }
    return now;
  }

  #stripList(items: readonly unknown[], path: Path): unknown {
    const initial = this.#random.below(items.length + 1);
    const label = this.#label();
    const lane: (() => Json)[] = [];
    for (let at = initial; at < items.length; ) {
      const [from, to] = [at, Math.min(items.length, at + 1 + this.#random.below(2))];
      lane.push(() => ({
        items: items.slice(from, to).map((item, index) => this.#strip(item, [...path, from + index])),
        path: [...path, from],
        ...label,
        ...this.#error(),
      }));
      at = to;
    }
    this.#lanes.push(lane);
    return items.slice(0, initial).map((item, index) => this.#strip(item, [...path, index]));
  }

  #later(result: () => Json): void {
    this.#lanes.push([result]);
  }

  #label(): Json {
    const kind = this.#random.below(3);
    return kind === 0 ? {} : { label: kind === 1 ? null : `l${this.#random.below(3)}` };
  }

  #error(): Json {
    if (this.#random.below(5) > 0) return {};
    const message = `error ${this.#errors.length}`;
    this.#errors.push(message);
    return { errors: [{ message }] };
  }
}

test(`${RUNS} responses of the older format are the same in v0.2`, () => {
  let results = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const { payloads, data, errors } = new Writer(openRandom(SEED + run)).write();
    const [first = {}, ...others] = payloads;
    const translation = new PayloadTranslation();
    const translated = [translation.first(first), ...others.map((payload) => translation.next(payload))];
    const merged = mergedNewer(JSON.parse(JSON.stringify(translated)));
    expect([run, merged.data]).toEqual([run, data]);
    expect(merged.errors.map((error) => (error as { message: string }).message).sort()).toEqual([...errors].sort());
    results += payloads.length;
  }
  expect(results).toBeGreaterThan(2 * RUNS);
});
