import type { GraphQLResolveInfo } from 'graphql';
import { type FieldNode, print } from 'graphql';
import { type JoinedAnswer, type JoinedRequest, joinedValue } from './joined-request.ts';

type Asks = (request: JoinedRequest, rows: readonly (readonly unknown[])[]) => Promise<readonly JoinedAnswer[]>;

/**
 * The rows of one relationship that are asked for: those of the same time and the same selections by one request, equal
 * ones once. What has been answered is forgotten: asked later, as by the next mutation, it may have another answer.
 */
export class JoinedRows {
  readonly #ask: Asks;
  /** By the operations' coerced variables, which every execution has its own of. */
  readonly #executions = new WeakMap<object, Map<string, Gathering>>();

  constructor(ask: Asks) {
    this.#ask = ask;
  }

  /** What is joined to one object. @param values what the object gives, of which equal ones have the same answer. */
  async answer(request: JoinedRequest, values: readonly unknown[]): Promise<unknown> {
    const { info } = request;
    const selected = info.fieldNodes.map(textOf).join(' ');
    const gatherings = this.#gatherings(info);
    const gathering = gatherings.get(selected) ?? new Gathering();
    gatherings.set(selected, gathering);
    const answer = await gathering.answerFor(values, (rows) => this.#ask(request, rows));
    return joinedValue(request, answer);
  }

  #gatherings({ variableValues }: GraphQLResolveInfo): Map<string, Gathering> {
    const known = this.#executions.get(variableValues) ?? new Map<string, Gathering>();
    this.#executions.set(variableValues, known);
    return known;
  }
}

/** Rows with the same selections. */
class Gathering {
  /** What is asked for and not answered yet, by the values as JSON. */
  readonly #asked = new Map<string, Promise<JoinedAnswer>>();
  #rows: (readonly unknown[])[] = [];
  #answers: Promise<readonly JoinedAnswer[]> | undefined;

  answerFor(values: readonly unknown[], ask: (rows: readonly (readonly unknown[])[]) => ReturnType<Asks>) {
    const key = JSON.stringify(values);
    const known = this.#asked.get(key);
    if (known) return known;
    const index = this.#rows.push(values) - 1;
    this.#answers ??= allOfThisTime().then(() => {
      const rows = this.#rows;
      this.#rows = [];
      this.#answers = undefined;
      return ask(rows);
    });
    const answer = this.#answers.then((answers) => answers[index] as JoinedAnswer);
    this.#asked.set(key, answer);
    const forget = () => void this.#asked.delete(key);
    answer.then(forget, forget);
    return answer;
  }
}

/** When all objects that are there now have been looked at, and what follows of promises that are settled. */
function allOfThisTime(): Promise<void> {
  return Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));
}

const texts = new WeakMap<FieldNode, string>();

/** A field as it is written, whatever it is called in the answer. */
function textOf(node: FieldNode): string {
  const known = texts.get(node);
  if (known !== undefined) return known;
  const { alias: _, ...named } = node;
  const text = print(named);
  texts.set(node, text);
  return text;
}
