/** A regular expression that is matched in linear time: the time grows with the text, never exponentially. */
export interface LinearPattern {
  /** Whether the pattern matches some part of the text. `^` and `$` bind it to the text's start and end. */
  matches(text: string): boolean;
}

/** The pattern is invalid, or it uses syntax that cannot be matched in linear time. */
export class UnusablePattern extends Error {}

/** The maximum length of a pattern, in characters. */
export const MAX_PATTERN_LENGTH = 500;
/** The maximum number of states. The work per character of a text is bounded by it. */
const MAX_STATES = 256;

/**
 * Compiles a pattern in JavaScript's syntax with the flag `u`. JavaScript's own engine backtracks, so a short text can
 * occupy it for years. This engine follows all alternatives at the same time instead (Thompson's construction).
 *
 * @throws UnusablePattern for lookaround, backreferences, word boundaries and named groups, and for too many states.
 */
export function compilePattern(source: string): LinearPattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new UnusablePattern(`the pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw new UnusablePattern((error as Error).message.replace(/^Invalid regular expression: .*: (?=[^:]*$)/s, ''));
  }
  const node = new PatternParser(source).parse();
  if (stateCount(node) > MAX_STATES)
    throw new UnusablePattern(`the pattern has more than ${MAX_STATES} states: use smaller repetitions`);
  const states: State[] = [{ kind: 'match' }];
  const start = addStates(node, 0, states);
  return new StateMachine(states, start);
}

type CodePointTest = (codePoint: number) => boolean;

type PatternNode =
  | { readonly kind: 'one'; readonly test: CodePointTest }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number };

/** Parses a pattern that JavaScript accepts. Character classes and escapes keep JavaScript's meaning. */
class PatternParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternNode {
    const items = [this.#sequence()];
    while (this.#take('|')) items.push(this.#sequence());
    return items.length === 1 && items[0] ? items[0] : { kind: 'choice', items };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at)))
      items.push(this.#repeated(this.#item()));
    return { kind: 'sequence', items };
  }

  #item(): PatternNode {
    if (this.#take('^')) return { kind: 'start' };
    if (this.#take('$')) return { kind: 'end' };
    if (!this.#take('(')) return { kind: 'one', test: this.#oneCharacter() };
    if (this.#take('?') && !this.#take(':'))
      throw new UnusablePattern('the pattern has a group that begins with "(?": only "(?:" is supported');
    const node = this.parse();
    this.#take(')');
    return node;
  }

  #repeated(item: PatternNode): PatternNode {
    const found = this.#match(/[*+?]|\{(\d+)(,(\d*))?\}/y);
    if (!found) return item;
    // Lazy quantifiers match the same texts.
    this.#take('?');
    const [symbol, least, range, most] = found;
    if (least === undefined)
      return { kind: 'repeat', item, min: symbol === '+' ? 1 : 0, max: symbol === '?' ? 1 : Infinity };
    const min = Number(least);
    return { kind: 'repeat', item, min, max: range === undefined ? min : most ? Number(most) : Infinity };
  }

  #oneCharacter(): CodePointTest {
    const refused = this.#match(/\\(?:[1-9k]\d*|[bB])/y)?.[0];
    if (refused !== undefined)
      throw new UnusablePattern(`the pattern has "${refused}": backreferences and word boundaries are not supported`);
    const pair = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/;
    const escaped = /\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])/;
    const set = /\[(?:\\[\s\S]|[^\]\\])*\]/;
    const text = this.#match(new RegExp([pair, escaped, set, /\./].map((one) => one.source).join('|'), 'y'))?.[0];
    if (text !== undefined) return codePointTest(text);
    const literal = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += String.fromCodePoint(literal).length;
    return (codePoint) => codePoint === literal;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

const ASCII = 128;

/** The test of an escape, a class or a dot. The results for ASCII are stored. */
function codePointTest(text: string): CodePointTest {
  const pattern = new RegExp(`^${text}$`, 'u');
  const test: CodePointTest = (codePoint) => pattern.test(String.fromCodePoint(codePoint));
  const ascii = Array.from({ length: ASCII }, (_, codePoint) => test(codePoint));
  // The states of a repetition share the test and ask for the same character one after another.
  let last = -1;
  let result = false;
  return (codePoint) => {
    const known = ascii[codePoint];
    if (known !== undefined) return known;
    if (codePoint !== last) {
      result = test(codePoint);
      last = codePoint;
    }
    return result;
  };
}

function stateCount(node: PatternNode): number {
  if (node.kind === 'sequence' || node.kind === 'choice')
    return node.items.reduce((sum, item) => sum + stateCount(item), node.kind === 'choice' ? node.items.length : 0);
  if (node.kind !== 'repeat') return 1;
  const { item, min, max } = node;
  const size = stateCount(item);
  const optional = max === Infinity ? 1 : (max - min) * (size + 1);
  return (max === Infinity ? Math.max(min, 1) : min) * size + optional;
}

type State =
  | { readonly kind: 'one'; readonly test: CodePointTest; readonly next: number }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'match' };

/** Adds the states of a node that continues with the state `next`. Returns the index of the first state. */
function addStates(node: PatternNode, next: number, states: State[]): number {
  const add = (state: State) => states.push(state) - 1;
  if (node.kind === 'one') return add({ ...node, next });
  if (node.kind === 'sequence') return node.items.reduceRight((after, item) => addStates(item, after, states), next);
  if (node.kind === 'choice')
    return add({ kind: 'split', next: node.items.map((item) => addStates(item, next, states)) });
  if (node.kind !== 'repeat') return add({ kind: node.kind, next });
  const { item, min, max } = node;
  let first = next;
  if (max === Infinity) {
    const loop = add({ kind: 'match' });
    const body = addStates(item, loop, states);
    states[loop] = { kind: 'split', next: [body, next] };
    first = min === 0 ? loop : body;
  } else
    for (let copy = min; copy < max; copy++)
      first = add({ kind: 'split', next: [addStates(item, first, states), next] });
  for (let copy = max === Infinity ? 1 : 0; copy < min; copy++) first = addStates(item, first, states);
  return first;
}

/** All states that a text may be in after one of its characters. */
interface Position {
  /** The states that wait for a character or for the end of the text. */
  readonly waiting: readonly number[];
  readonly isStart: boolean;
  readonly hasMatched: boolean;
  /** The positions after each character that was seen so far. */
  readonly following: Map<number, Position>;
}

/** The maximum number of positions, and of characters after one, that are stored. */
const MAX_STORED = 256;
/** Positions with more states rarely occur again, and storing them would take longer than following them. */
const MAX_STORED_STATES = 32;

/**
 * Follows all states that a text may be in. Each state is entered at most once per character. Positions are stored, so
 * usual texts cost one lookup per character.
 */
class StateMachine implements LinearPattern {
  readonly #states: readonly State[];
  readonly #start: number;
  readonly #positions = new Map<string, Position>();
  readonly #first: Position;

  constructor(states: readonly State[], start: number) {
    this.#states = states;
    this.#start = start;
    this.#first = this.#position([start], true, false);
  }

  matches(text: string): boolean {
    let position = this.#first;
    for (let at = 0; at < text.length && !position.hasMatched; ) {
      const codePoint = text.codePointAt(at) ?? 0;
      position = position.following.get(codePoint) ?? this.#after(position, codePoint);
      at += codePoint > 0xffff ? 2 : 1;
    }
    return position.hasMatched || this.#position(position.waiting, position.isStart, true).hasMatched;
  }

  #after({ waiting, following }: Position, codePoint: number): Position {
    // A match may begin at each character.
    const entered = [this.#start];
    for (const index of waiting) {
      const state = this.#states[index];
      if (state?.kind === 'one' && state.test(codePoint)) entered.push(state.next);
    }
    const found = this.#position(entered, false, false);
    if (found.waiting.length > MAX_STORED_STATES) return found;
    const key = found.hasMatched ? 'matched' : found.waiting.join();
    const position = this.#positions.get(key) ?? found;
    if (this.#positions.size >= MAX_STORED) {
      // Positions refer to each other, so all of them are released together.
      this.#positions.clear();
      this.#first.following.clear();
    }
    this.#positions.set(key, position);
    if (following.size < MAX_STORED) following.set(codePoint, position);
    return position;
  }

  /** Enters states and those that need no further character. */
  #position(entered: readonly number[], isStart: boolean, isEnd: boolean): Position {
    const open = [...entered];
    const known = new Uint8Array(this.#states.length);
    const waiting: number[] = [];
    let hasMatched = false;
    for (let index = open.pop(); index !== undefined && !hasMatched; index = open.pop()) {
      if (known[index] === 1) continue;
      known[index] = 1;
      const state = this.#states[index];
      if (state?.kind === 'match') hasMatched = true;
      else if (state?.kind === 'split') open.push(...state.next);
      else if (state?.kind === 'one' || (state?.kind === 'end' && !isEnd)) waiting.push(index);
      else if (state && (state.kind === 'end' || isStart)) open.push(state.next);
    }
    return { waiting, isStart, hasMatched, following: new Map() };
  }
}
