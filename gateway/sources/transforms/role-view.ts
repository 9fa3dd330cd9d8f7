import type { GraphQLSchema } from 'graphql';
import type { Customization, CustomizedSchema } from '../customization/index.ts';
import { customize } from '../customization/index.ts';
import {
  type NarrowedTypes,
  narrowedTypes,
  type Permitted,
  type RolePresets,
  rolePresets,
} from '../permissions/index.ts';

/** The part of a source that a role sees, and its differences from the source's schema. */
export interface RoleView {
  /** The source's name, for errors. */
  readonly service: string;
  /** The role's schema in the graph's names. */
  readonly customized: CustomizedSchema;
  /** The source's own schema. */
  readonly upstream: GraphQLSchema;
  /** Undefined if the role has no presets. */
  readonly presets: RolePresets | undefined;
  /** Undefined if the source cannot return more than the role sees. */
  readonly narrowed: NarrowedTypes | undefined;
}

/**
 * @param permitted the role's permission. Undefined if the role sees the whole schema.
 * @throws Error if two customized elements have the same name or a name is invalid.
 */
export function roleView(
  service: string,
  upstream: GraphQLSchema,
  permitted: Permitted | undefined,
  customization: Customization | null | undefined,
): RoleView {
  const part = permitted?.schema ?? upstream;
  return {
    service,
    customized: customize(part, upstream, customization),
    upstream,
    presets:
      permitted && permitted.presets.size > 0
        ? rolePresets(permitted.presets, permitted.withPresets, service)
        : undefined,
    narrowed: narrowedTypes(part, upstream),
  };
}

/** Whether operations and responses are relayed unchanged. */
export function isAsItIs({ customized: { namespace, types, fields }, presets, narrowed }: RoleView): boolean {
  return namespace === undefined && types.size === 0 && fields.size === 0 && !presets && !narrowed;
}

/** The source's name of a type of the graph. */
export function sourceTypeName({ customized }: RoleView, type: string): string {
  return customized.types.get(type) ?? type;
}
