import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type OperationTypeNode,
  parse,
  print,
} from 'graphql';

/** An operation to begin with, and its variables as JSON; empty where it has none. */
export interface ExampleOperation {
  readonly query: string;
  readonly variables: string;
}

/** Levels of objects below the field that are selected. */
const SELECTED_LEVELS = 2;
/** Beyond these an object is selected only where it would have nothing selected otherwise. */
const MOST_LEVELS = 4;
/** Fields that are selected at most, so that an operation can be looked over. */
const MOST_FIELDS = 40;
/** Levels of input objects that are filled in. */
const MOST_INPUT_LEVELS = 4;

/** Calls one field with what it requires, and selects what needs no argument. */
export function exampleOperation(
  kind: `${OperationTypeNode}`,
  { name, type, args }: GraphQLField<unknown, unknown>,
): ExampleOperation {
  const required = args.filter(isRequiredArgument);
  const inBrackets = (texts: readonly string[]) => (texts.length === 0 ? '' : `(${texts.join(', ')})`);
  const declared = inBrackets(required.map((argument) => `$${argument.name}: ${argument.type}`));
  const given = inBrackets(required.map((argument) => `${argument.name}: $${argument.name}`));
  const selected = exampleSelection(type, 1, { left: MOST_FIELDS });
  const variables = Object.fromEntries(required.map((argument) => [argument.name, exampleValue(argument.type, 1)]));
  return {
    query: `${print(parse(`${kind} ${name}${declared} { ${name}${given}${selected} }`))}\n`,
    variables: required.length === 0 ? '' : JSON.stringify(variables, undefined, 2),
  };
}

/** A query to begin with that the role can run as it is, if it has one that requires simple values at most. */
export function firstOperation(schema: GraphQLSchema): ExampleOperation | undefined {
  const [best] = Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(
      ({ args, deprecationReason }) =>
        typeof deprecationReason !== 'string' &&
        args.filter(isRequiredArgument).every((argument) => isLeafType(getNullableType(argument.type))),
    )
    .map((field) => ({ field, rank: rankOf(field) }))
    .sort((one, other) => one.rank - other.rank);
  return best && exampleOperation('query', best.field);
}

/** Fields without arguments come first, then lists of objects before objects before values, and documented fields before others. */
function rankOf({ args, type, description }: GraphQLField<unknown, unknown>): number {
  const kind = isLeafType(getNamedType(type)) ? 2 : isListType(getNullableType(type)) ? 0 : 1;
  return (args.some(isRequiredArgument) ? 10 : 0) + kind * 2 + (description ? 0 : 1);
}

function exampleSelection(of: GraphQLOutputType, level: number, budget: { left: number }): string {
  const type = getNamedType(of);
  if (isLeafType(type)) return '';
  // Members of a union are the caller's to pick.
  if (!isObjectType(type) && !isInterfaceType(type)) return ' { __typename }';
  const fields = Object.values(type.getFields()).filter(
    ({ args, deprecationReason }) => !args.some(isRequiredArgument) && typeof deprecationReason !== 'string',
  );
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, Math.max(0, budget.left));
  budget.left -= leaves.length;
  const selected = leaves.map((field) => field.name);
  for (const field of fields) {
    const isNeeded = selected.length === 0 && level < MOST_LEVELS;
    if (isLeafType(getNamedType(field.type)) || (!isNeeded && (level >= SELECTED_LEVELS || budget.left <= 0))) continue;
    selected.push(field.name + exampleSelection(field.type, level + 1, budget));
  }
  return ` { ${selected.length === 0 ? '__typename' : selected.join(' ')} }`;
}

function exampleValue(of: GraphQLInputType, level: number): unknown {
  const type = getNullableType(of);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name ?? null;
  if (!isInputObjectType(type)) return EXAMPLES_OF_SCALARS.get(type.name) ?? '';
  if (level > MOST_INPUT_LEVELS) return {};
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequiredInputField);
  // Where nothing is required, the names of all say what there is to fill in.
  const filled = required.length > 0 ? required : fields;
  return Object.fromEntries(
    filled.map((field) => [field.name, isRequiredInputField(field) ? exampleValue(field.type, level + 1) : null]),
  );
}

/** By the names of the scalars; all others have a text. */
const EXAMPLES_OF_SCALARS: ReadonlyMap<string, number | boolean> = new Map<string, number | boolean>([
  ['Int', 0],
  ['Float', 0],
  ['Boolean', false],
]);
