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

/** What a role sees of a source, and how it differs from what the source has. */
export interface RoleView {
  /** The source's name, for errors. */
  readonly service: string;
  /** What the role sees, in the graph's names. */
  readonly customized: CustomizedSchema;
  /** The source's own schema. */
  readonly upstream: GraphQLSchema;
  /** Undefined without presets. */
  readonly presets: RolePresets | undefined;
  /** Undefined where the source cannot answer with more than the role sees. */
  readonly narrowed: NarrowedTypes | undefined;
}

/**
 * @param permitted what a role is permitted; undefined where it sees the whole schema.
 * @throws Error when two customized elements have the same name, or one an invalid name.
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

/** Whether operations go to the source as the client wrote them, and its responses as they come. */
export function isAsItIs({ customized: { namespace, types, fields }, presets, narrowed }: RoleView): boolean {
  return namespace === undefined && types.size === 0 && fields.size === 0 && !presets && !narrowed;
}

/** The source's name of a type of the graph. */
export function sourceTypeName({ customized }: RoleView, type: string): string {
  return customized.types.get(type) ?? type;
}
