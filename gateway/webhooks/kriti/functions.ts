import { listItems } from '../../access/variables/index.ts';
import type { TemplateValue } from './syntax.ts';
import { isMap, isTemplateList, type JsonMap, kindOf } from './values.ts';
import type { Work } from './work.ts';

/** The context of a function call. */
export interface CallSite {
  readonly sessionVariables: Readonly<Record<string, string>>;
  readonly work: Work;
  readonly at: number;
}

type KritiFunction = (argument: TemplateValue, site: CallSite) => TemplateValue;

/** Hasura's Kriti functions (https://hasura.io/docs/2.0/api-reference/kriti-templating), and `toList`, which is Portico's. */
const FUNCTIONS: Readonly<Record<string, KritiFunction>> = {
  getSessionVariable: (name, site) => {
    const value = findSessionVariable(textArgument(name, site).toLowerCase(), site.sessionVariables);
    return value ?? site.work.fail('the session has no such variable', site.at);
  },
  escapeUri: (value, site) => {
    const scalar = typeof value === 'number' || typeof value === 'boolean';
    return escapeUri(scalar ? String(value) : textArgument(value, site));
  },
  not: (value, site) => (typeof value === 'boolean' ? !value : expected('a boolean', value, site)),
  empty: (value, site) => {
    if (value === null) return true;
    if (typeof value === 'string') return value.trim() === '';
    if (typeof value === 'number') return value === 0;
    if (typeof value === 'boolean') return expected('a text, a number, a list or an object', value, site);
    return (isTemplateList(value) ? value : Object.keys(value)).length === 0;
  },
  size: (value) => {
    if (value === null) return 0;
    if (typeof value === 'string') return [...value].length;
    if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
    return (isTemplateList(value) ? value : Object.keys(value)).length;
  },
  inverse: (value, site) => {
    if (typeof value === 'string') return [...value].reverse().join('');
    if (typeof value === 'boolean') return !value;
    if (isTemplateList(value)) return value.toReversed();
    if (typeof value !== 'number') return value;
    return value === 0 ? site.work.fail('0 has no inverse', site.at) : 1 / value;
  },
  head: (value, site) => {
    const [first] = elements(value, site);
    return first === undefined ? site.work.fail(`${kindOf(value)} that is empty has no head`, site.at) : first;
  },
  tail: (value, site) => {
    const items = elements(value, site);
    if (items.length === 0) return site.work.fail(`${kindOf(value)} that is empty has no tail`, site.at);
    return typeof value === 'string' ? items.slice(1).join('') : items.slice(1);
  },
  toCaseFold: (value, site) => textArgument(value, site).toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ'),
  toLower: (value, site) => textArgument(value, site).toLowerCase(),
  toUpper: (value, site) => textArgument(value, site).toUpperCase(),
  toTitle: (value, site) =>
    textArgument(value, site).replace(/\p{L}[\p{L}\p{M}'’]*/gu, (word) => {
      const [first = '', ...rest] = word;
      return first.toUpperCase() + rest.join('').toLowerCase();
    }),
  toPairs: (value, site) => (isMap(value) ? Object.entries(value) : expected('an object', value, site)),
  fromPairs: (value, site) => Object.fromEntries(listArgument(value, site).map((pair) => keyAndValue(pair, site))),
  toList: (value, site) => {
    const items = listItems(textArgument(value, site)) ?? site.work.fail('the text is not a list', site.at);
    site.work.spend(items.length, site.at);
    return items;
  },
  removeNulls: (value, site) => listArgument(value, site).filter((item) => item !== null),
  concat: (value, site) => concat(listArgument(value, site), site),
};

export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS);

/** Calls the function `name`, one of FUNCTION_NAMES. @throws KritiEvaluationError */
export function callFunction(name: string, argument: TemplateValue, site: CallSite): TemplateValue {
  const size = typeof argument === 'string' ? argument.length / 10 : isTemplateList(argument) ? argument.length : 0;
  site.work.spend(1 + size, site.at);
  const called = FUNCTIONS[name] ?? site.work.fail(`unknown function "${name}"`, site.at);
  return called(argument, site);
}

/** Escapes everything but the unreserved characters of RFC 3986 section 2.3, in UTF-8. */
export function escapeUri(value: string): string {
  const wellFormed = value.replace(/\p{Surrogate}/gu, '\uFFFD');
  return encodeURIComponent(wellFormed).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function findSessionVariable(name: string, variables: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function expected(what: string, found: TemplateValue, { work, at }: CallSite): never {
  return work.fail(`expected ${what}, found ${kindOf(found)}`, at);
}

function textArgument(value: TemplateValue, site: CallSite): string {
  return typeof value === 'string' ? value : expected('a text', value, site);
}

function listArgument(value: TemplateValue, site: CallSite): readonly TemplateValue[] {
  return isTemplateList(value) ? value : expected('a list', value, site);
}

function elements(value: TemplateValue, site: CallSite): readonly TemplateValue[] {
  if (typeof value === 'string') return [...value];
  return isTemplateList(value) ? value : expected('a text or a list', value, site);
}

function keyAndValue(pair: TemplateValue, site: CallSite): [string, TemplateValue] {
  const [key, value] = isTemplateList(pair) && pair.length === 2 ? pair : [];
  if (typeof key !== 'string' || value === undefined)
    return site.work.fail('expected a list of pairs of a text and a value', site.at);
  return [key, value];
}

function concat(parts: readonly TemplateValue[], site: CallSite): TemplateValue {
  if (parts.every((part) => typeof part === 'string')) {
    const joined = parts.join('');
    site.work.spendOnText(joined.length, site.at);
    return parts.length === 0 ? [] : joined;
  }
  if (parts.every(isTemplateList)) {
    site.work.spend(
      parts.reduce((sum, part) => sum + part.length, 0),
      site.at,
    );
    return parts.flat();
  }
  if (parts.every(isMap)) return Object.fromEntries(parts.flatMap((part) => objectEntries(part, site)));
  return site.work.fail('expected a list of texts, of lists or of objects, all of one kind', site.at);
}

function objectEntries(map: JsonMap, site: CallSite): readonly [string, TemplateValue][] {
  const entries = Object.entries(map);
  site.work.spend(entries.length, site.at);
  return entries;
}
