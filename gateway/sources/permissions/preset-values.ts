import {
  coerceInputValue,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { parseJson } from '../../../platform/index.ts';
import type { Session } from '../../access/session/index.ts';
import { listItems } from '../../access/variables/index.ts';
import { missingSessionVariable, unfitSessionVariable } from '../errors.ts';
import type { Preset } from './preset.ts';

/** The problems of a preset that follow from its input's type, whatever the session variables are. */
export function presetProblems(preset: Preset, type: GraphQLInputType): readonly string[] {
  const inner = getNullableType(type);
  switch (preset.kind) {
    case 'session':
      return [];
    case 'fixed':
      return valueProblems(preset.value, type);
    case 'list':
      if (isListType(inner)) return preset.items.flatMap((item) => presetProblems(item, inner.ofType));
      return isInputObjectType(inner) || isEnumType(inner) ? [`expected ${String(type)}, found a list`] : [];
    case 'object': {
      if (isListType(inner)) return presetProblems(preset, inner.ofType);
      if (!isInputObjectType(inner)) return isEnumType(inner) ? [`expected ${String(type)}, found an object`] : [];
      const definitions = inner.getFields();
      const unknown = Object.keys(preset.fields).filter((name) => !Object.hasOwn(definitions, name));
      const known = Object.entries(preset.fields).flatMap(([name, field]) =>
        definitions[name] ? presetProblems(field, definitions[name].type) : [],
      );
      const missing = Object.values(definitions).filter(
        ({ name, type: fieldType, defaultValue }) =>
          isNonNullType(fieldType) && defaultValue === undefined && !Object.hasOwn(preset.fields, name),
      );
      return [
        ...unknown.map((name) => `"${inner.name}" has no field "${name}"`),
        ...missing.map(({ name }) => `the field "${name}" of "${inner.name}" is missing`),
        ...known,
      ];
    }
  }
}

function valueProblems(value: unknown, type: GraphQLInputType): readonly string[] {
  const problems: string[] = [];
  coerceInputValue(value, type, (_path, _value, error) => problems.push(error.message));
  return problems;
}

/**
 * Returns the value of a preset for a session, as a variable of an operation.
 *
 * @param type undefined within a custom scalar, which accepts any value.
 * @throws GraphQLError with code `not-found` if the session variable does not exist, or `unexpected` if it does not fit
 *   the type.
 */
export function presetValue(
  preset: Preset,
  type: GraphQLInputType | undefined,
  session: Session,
  service: string,
): unknown {
  const inner = type && getNullableType(type);
  switch (preset.kind) {
    case 'fixed':
      return preset.value;
    case 'session':
      return sessionVariableValue(preset.variable, type, session, service);
    case 'list': {
      const itemType = isListType(inner) ? inner.ofType : undefined;
      return preset.items.map((item) => presetValue(item, itemType, session, service));
    }
    case 'object': {
      if (isListType(inner)) return presetValue(preset, inner.ofType, session, service);
      const definitions = isInputObjectType(inner) ? inner.getFields() : {};
      const entries = Object.entries(preset.fields).map(([name, field]) => [
        name,
        presetValue(field, definitions[name]?.type, session, service),
      ]);
      return Object.fromEntries(entries);
    }
  }
}

function sessionVariableValue(
  variable: string,
  type: GraphQLInputType | undefined,
  session: Session,
  service: string,
): unknown {
  const text = Object.hasOwn(session.variables, variable) ? session.variables[variable] : undefined;
  if (text === undefined) throw missingSessionVariable(service, variable);
  const value = type ? readAs(type, text) : text;
  if (value !== undefined) return value;
  throw unfitSessionVariable(service, variable, String(type));
}

/** Reads the text of a session variable as a value of a type. Returns undefined if it does not fit. */
function readAs(type: GraphQLInputType, text: string): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const items = listItems(text)?.map((item) => {
      if (item !== null) return readAs(inner.ofType, item);
      return isNonNullType(inner.ofType) ? undefined : null;
    });
    return items?.includes(undefined) ? undefined : items;
  }
  if (isInputObjectType(inner)) {
    const value = parseJson(text);
    return value !== undefined && valueProblems(value, inner).length === 0 ? value : undefined;
  }
  if (isEnumType(inner)) return inner.getValue(text) ? text : undefined;
  switch (inner.name) {
    case 'Int':
      return /^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0) ? Number(text) : undefined;
    case 'Float':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return text;
  }
}
