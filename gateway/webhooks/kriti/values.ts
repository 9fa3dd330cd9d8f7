import type { TemplateValue } from './syntax.ts';
import type { Work } from './work.ts';

export type JsonMap = { readonly [name: string]: TemplateValue };

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTemplateList(value: unknown): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

/** Returns the kind of a value with its article. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'a text', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object';
}

/** Returns an own member. Inherited properties are not part of a value. */
export function memberOf(map: JsonMap, name: string): TemplateValue | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Returns whether two values are equal as JSON. The order of keys does not matter. */
export function same(one: TemplateValue, two: TemplateValue, work: Work, at: number): boolean {
  work.spendOnText(typeof one === 'string' ? one.length : 0, at);
  if (isTemplateList(one) && isTemplateList(two)) {
    if (one.length !== two.length) return false;
    return work.nested(at, () => one.every((item, index) => same(item, two[index] ?? null, work, at)));
  }
  if (isMap(one) && isMap(two)) {
    const names = Object.keys(one);
    if (names.length !== Object.keys(two).length) return false;
    return work.nested(at, () =>
      names.every((name) => {
        const other = memberOf(two, name);
        return other !== undefined && same(one[name] ?? null, other, work, at);
      }),
    );
  }
  return one === two;
}
