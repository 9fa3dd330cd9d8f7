import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';

/** The input of an action for one object. */
export type ObjectInput = Readonly<Record<string, unknown>>;

/** Returned for a value that does not fit its type. */
const UNFIT = Symbol('unfit');
/** Matches a number in JSON. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
type Convert = (value: unknown) => unknown;

/** A value of an object's key that is not of the type that the action takes. */
export class UnfitKey {
  readonly field: string;
  readonly type: string;

  constructor(field: string, type: string) {
    this.field = field;
    this.type = type;
  }
}

/**
 * Compiles the input of an action: the values of an object's key and the client's arguments, in the order of the action's
 * arguments. One service may return a number where another expects a text, and the other way round.
 */
export function compileInputs({ args }: GraphQLField<unknown, unknown>, key: ReadonlySet<string>) {
  const inputs = args.map((argument: GraphQLArgument) => ({
    name: argument.name,
    type: String(argument.type),
    isRequired: isRequiredArgument(argument),
    convert: key.has(argument.name) ? converter(argument.type) : undefined,
  }));
  return (keyOfObject: unknown, client: ObjectInput): ObjectInput | UnfitKey => {
    const own = isJsonObject(keyOfObject) ? keyOfObject : {};
    // GraphQL reserves names such as `__proto__`, so no argument has one.
    const input: Record<string, unknown> = {};
    for (const { name, type, isRequired, convert } of inputs) {
      if (!convert) {
        if (Object.hasOwn(client, name)) input[name] = client[name];
        continue;
      }
      const given = Object.hasOwn(own, name) ? own[name] : undefined;
      if (given === undefined && !isRequired) continue;
      const value = convert(given);
      if (value === UNFIT) return new UnfitKey(name, type);
      input[name] = value;
    }
    return input;
  };
}

function converter(type: GraphQLInputType): Convert {
  if (isNonNullType(type)) {
    const inner = converter(type.ofType);
    return (value) => (value === null || value === undefined ? UNFIT : inner(value));
  }
  const present = presentConverter(type);
  return (value) => (value === null || value === undefined ? null : present(value));
}

/** Converts a value that is not null. */
function presentConverter(type: GraphQLInputType): Convert {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const item = converter(inner.ofType);
    return (value) => {
      const items = (Array.isArray(value) ? value : [value]).map(item);
      return items.includes(UNFIT) ? UNFIT : items;
    };
  }
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields()).map((field) => {
      return { name: field.name, isRequired: isRequiredInputField(field), convert: converter(field.type) };
    });
    return (value) => {
      if (!isJsonObject(value)) return UNFIT;
      const converted: Record<string, unknown> = {};
      for (const { name, isRequired, convert } of fields) {
        if (!Object.hasOwn(value, name) && !isRequired) continue;
        const own = convert(Object.hasOwn(value, name) ? value[name] : undefined);
        if (own === UNFIT) return UNFIT;
        converted[name] = own;
      }
      return converted;
    };
  }
  const { name } = inner;
  const isNumber = name === 'Int' || name === 'Float';
  return (value) => {
    try {
      if (name === 'String' && typeof value === 'number') return inner.parseValue(String(value));
      if (isNumber && typeof value === 'string' && NUMBER.test(value)) return inner.parseValue(Number(value));
      return inner.parseValue(value);
    } catch {
      return UNFIT;
    }
  };
}
