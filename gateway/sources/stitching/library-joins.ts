import type { MergedTypeConfig } from '@graphql-tools/delegate';
import type { StitchedLookup, TypeJoins } from '../source.ts';

/** What the library has read of the stitching directives. */
export function typeJoins(merge: Readonly<Record<string, MergedTypeConfig>>): ReadonlyMap<string, TypeJoins> {
  return new Map(Object.entries(merge).map(([type, config]) => [type, joinsOf(config)]));
}

function joinsOf(config: MergedTypeConfig): TypeJoins {
  const { fields = {} } = config;
  const computed = Object.entries(fields).flatMap(([name, { selectionSet, computed: isComputed }]) =>
    selectionSet && isComputed ? [[name, inner(selectionSet)] as const] : [],
  );
  return {
    lookups: [config, ...(config.entryPoints ?? [])].flatMap(lookupOf),
    requires: new Map(computed),
    isCanonical: (field) => (field === undefined ? config : fields[field])?.canonical === true,
  };
}

function lookupOf({
  fieldName,
  selectionSet = '',
  key,
  argsFromKeys,
  args,
}: Pick<MergedTypeConfig, 'fieldName' | 'selectionSet' | 'key' | 'argsFromKeys' | 'args'>): readonly StitchedLookup[] {
  if (fieldName === undefined) return [];
  const isMany = key !== undefined && argsFromKeys !== undefined;
  return [
    {
      field: fieldName,
      key: inner(selectionSet),
      isMany,
      argumentsFor: (objects) => {
        if (key && argsFromKeys) return argsFromKeys(objects.map((object) => key(object)));
        return args?.(objects[0]) ?? {};
      },
    },
  ];
}

/** The selections of a selection set. */
function inner(selectionSet: string): string {
  return selectionSet.trim().replace(/^\{/, '').replace(/\}$/, '').trim();
}
