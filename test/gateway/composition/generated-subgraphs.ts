import fc from 'fast-check';
import type { SubgraphSdl } from '../../../gateway/planning/composition/index.ts';

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external",
  "@requires", "@provides", "@interfaceObject"])\n`;
const TYPES = ['One', 'Two', 'Three'];
const FIELDS = ['f', 'g', 'h'];

/** What a subgraph has of a type. */
interface Part {
  readonly keys: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Three subgraphs that share some types, each with keys, fields and references of its own. Some have a field that requires
 * one of another subgraph, a root field that provides one, or an interface, which others have as an interface object. Half of
 * them have fields that no operation can get to.
 */
export function generatedSubgraphs(): fc.Arbitrary<readonly SubgraphSdl[]> {
  return fc.gen().map((draw) => {
    const yes = (ofTen: number) => draw(fc.integer, { min: 0, max: 9 }) < ofTen;
    const some = <T>(items: readonly T[], ofTen: number): T[] => items.filter(() => yes(ofTen));
    const hasInterface = yes(4);
    const keySets = yes(2) ? ['id', 'code', 'next { id }'] : ['id', 'code'];
    const part = (): Part => ({
      keys: hasInterface ? ['id'] : some(keySets, 6),
      fields: some(FIELDS, 5),
    });
    const subgraphs = ['a', 'b', 'c'].map((name, index) => ({
      name,
      types: new Map(some(TYPES, 7).map((type) => [type, part()])),
      isObject: hasInterface && index > 0 && yes(5),
    }));
    const others = (name: string) => subgraphs.filter((one) => one.name !== name && !one.isObject);
    const existing = (name: string, type: string) =>
      FIELDS.filter((field) => others(name).some(({ types }) => types.get(type)?.fields.includes(field)));

    return subgraphs.map(({ name, types, isObject }) => {
      const object = (type: string, { keys, fields }: Part): string => {
        const [external] = existing(name, type).filter((field) => !fields.includes(field));
        const members = [
          'id: ID! @shareable',
          'code: ID! @shareable',
          `next: ${type} @shareable`,
          ...fields.map((field) => `${field}: Int @shareable`),
          ...some([...types.keys()], 5).map((other) => `${other.toLowerCase()}: ${other} @shareable`),
        ];
        if (external && keys.length > 0 && yes(5))
          members.push(`${external}: Int @external`, `${name}Needs: Int @requires(fields: "${external}")`);
        const directives = keys.map((key) => `@key(fields: "${key}")`);
        return `type ${type} ${hasInterface ? 'implements Named' : ''} ${directives.join(' ')} { ${members.join(' ')} }`;
      };
      const parts = isObject
        ? [`type Named @interfaceObject @key(fields: "id") { id: ID! ${name}Extra: Int }`]
        : [...types].map(([type, own]) => object(type, own));
      const hasNamed = hasInterface && (isObject || types.size > 0);
      if (hasNamed && !isObject) parts.push('interface Named @key(fields: "id") { id: ID! }');
      const roots = [
        ...(isObject ? [] : some([...types.keys()], 6).map((type) => `${name}${type}: ${yes(2) ? `[${type}]` : type}`)),
        ...(hasNamed ? [`${name}Named: Named`] : []),
      ];
      return { name, sdl: `${LINK} type Query { ${name}: Int ${roots.join(' ')} }\n${parts.join('\n')}` };
    });
  });
}
