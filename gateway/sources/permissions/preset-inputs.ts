import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Session } from '../../access/session/index.ts';
import type { Presets } from './preset.ts';
import { presetValue } from './preset-values.ts';

/** The presets of a role on one source. */
export interface RolePresets {
  readonly presets: Presets;
  /** The role's part of the source's schema, including the preset inputs. */
  readonly schema: GraphQLSchema;
  /** The source's name, for errors. */
  readonly service: string;
  /** The input objects that contain presets at any depth. */
  readonly filledTypes: ReadonlySet<string>;
}

/** Computes the value of an input's preset. */
export type PresetValueOf = (key: string, type: GraphQLInputType) => unknown;

export function rolePresets(presets: Presets, schema: GraphQLSchema, service: string): RolePresets {
  const types = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const filledTypes = new Set<string>();
  for (let before = -1; before < filledTypes.size; ) {
    before = filledTypes.size;
    for (const type of types)
      if (
        Object.values(type.getFields()).some(
          (field) => presets.has(`${type.name}.${field.name}`) || filledTypes.has(getNamedType(field.type).name),
        )
      )
        filledTypes.add(type.name);
  }
  return { presets, schema, service, filledTypes };
}

/** @throws GraphQLError from the returned object's functions if a session variable is missing or does not fit. */
export function presetInputsOf(role: RolePresets, session: Session): PresetInputs {
  return new PresetInputs(role, (key, type) => {
    const preset = role.presets.get(key);
    return preset && presetValue(preset, type, session, role.service);
  });
}

/** Inserts presets into the values of inputs. */
export class PresetInputs {
  readonly #role: RolePresets;
  readonly presetOf: PresetValueOf;

  constructor(role: RolePresets, presetOf: PresetValueOf) {
    this.#role = role;
    this.presetOf = presetOf;
  }

  /**
   * Inserts presets into a value.
   *
   * @param within the types of the surrounding input objects, whose presets are not inserted again.
   */
  filled(value: unknown, type: GraphQLInputType, within: readonly string[]): unknown {
    if (!this.#role.filledTypes.has(getNamedType(type).name)) return value;
    const inner = getNullableType(type);
    if (isListType(inner)) {
      if (Array.isArray(value)) return value.map((item) => this.filled(item, inner.ofType, within));
      // A single value other than null may stand for a list of one item.
      return value === null || value === undefined ? value : this.filled(value, inner.ofType, within);
    }
    if (!isInputObjectType(inner)) return value;
    if (value === null || value === undefined) return this.presetsOf(inner, within) ?? value;
    return typeof value === 'object' && !Array.isArray(value) ? this.#filledObject(value, inner, within) : value;
  }

  /** Inserts presets into a default. Returns undefined if the default has none. */
  filledDefault(value: unknown, type: GraphQLInputType, within: readonly string[]): unknown {
    const filled = this.filled(value, type, within);
    return JSON.stringify(filled) === JSON.stringify(value) ? undefined : filled;
  }

  /** An object that contains only presets. Undefined if there are no presets or other fields are required. */
  presetsOf(type: GraphQLInputObjectType, within: readonly string[]): Record<string, unknown> | undefined {
    if (within.includes(type.name)) return undefined;
    const value: Record<string, unknown> = {};
    const inside = [...within, type.name];
    for (const definition of Object.values(type.getFields())) {
      const key = `${type.name}.${definition.name}`;
      const inner = getNullableType(definition.type);
      const filled = this.#role.presets.has(key)
        ? this.presetOf(key, definition.type)
        : isInputObjectType(inner)
          ? this.presetsOf(inner, inside)
          : undefined;
      if (filled !== undefined) value[definition.name] = filled;
      else if (isNonNullType(definition.type) && definition.defaultValue === undefined) return undefined;
    }
    return Object.keys(value).length > 0 ? value : undefined;
  }

  #filledObject(value: object, type: GraphQLInputObjectType, within: readonly string[]): Record<string, unknown> {
    const result: Record<string, unknown> = { ...value };
    const inside = [...within, type.name];
    for (const { name, type: fieldType, defaultValue } of Object.values(type.getFields())) {
      const key = `${type.name}.${name}`;
      const given = Object.hasOwn(result, name) ? result[name] : undefined;
      const isOmitted = given === undefined && defaultValue !== undefined && defaultValue !== null;
      const filled = this.#role.presets.has(key)
        ? this.presetOf(key, fieldType)
        : isOmitted
          ? this.filledDefault(defaultValue, fieldType, inside)
          : this.filled(given, fieldType, inside);
      if (filled !== undefined) result[name] = filled;
    }
    return result;
  }
}
