import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parseType,
  type SelectionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { nameNode, type RequestTexts, usedVariables, valueText } from '../../../graphql/syntax/index.ts';
import type { CallObject, RootCall } from '../../supergraph/index.ts';
import type { RootFieldCall } from '../plan/index.ts';
import type { VariableDefinitions } from './request-text.ts';
import type { OwnVariable } from './services.ts';

/** Objects for which the same root field fetches the same fields. */
export interface RootFieldQuestion {
  readonly call: RootCall;
  /** The client's arguments for the last step. */
  readonly arguments: readonly ArgumentNode[];
  readonly selections: readonly SelectionNode[];
  /** The type that the selections apply to. */
  readonly type: string;
}

/** A text that is equal for calls that form one question, whatever their objects and keys are. */
export function questionText(
  { arguments: given, selections, representation, key, type }: RootFieldCall,
  texts: RequestTexts,
): string {
  const asked = [...given.map(({ name, value }) => `${name.value}:${valueText(value)}`), texts.selections(selections)];
  const { type: ofType, selections: known, isForAnyType } = representation;
  return JSON.stringify([asked, type, ofType, known.id, isForAnyType, key?.id]);
}

/** Writes operations that ask questions about any number of objects. */
export class RootFieldsRequest {
  readonly #questions: readonly RootFieldQuestion[];
  readonly #clientVariables: VariableDefinitions;
  /** The prefix of variable names. No variable of the client has this prefix. */
  readonly #prefix: string;

  constructor(questions: readonly RootFieldQuestion[], clientVariables: VariableDefinitions) {
    this.#questions = questions;
    this.#clientVariables = clientVariables;
    let prefix = '_a';
    while (clientVariables.some(({ variable }) => variable.name.value.startsWith(prefix))) prefix += '_';
    this.#prefix = prefix;
  }

  /** The response key of an object's value. @param number the index of the object in its question */
  keyOf(question: number, number: number): string {
    return this.#questions[question]?.call.isMany ? `_r${question}` : `_r${question}_${number}`;
  }

  /** The number of root fields of each question, for the given numbers of objects. */
  fieldCounts(objects: readonly number[]): readonly number[] {
    return objects.map((count, at) => (this.#questions[at]?.call.isMany ? Math.min(count, 1) : count));
  }

  /** @param counts the result of `fieldCounts` */
  operation(counts: readonly number[]): RootFieldsOperation {
    const definitions = new Map<string, VariableDefinitionNode>();
    const fragments: FragmentDefinitionNode[] = [];
    const selections = this.#questions.flatMap((question, at) => {
      const count = counts[at] ?? 0;
      const below = count > 1 ? shared(question, `_s${at}`, fragments) : question.selections;
      return Array.from({ length: count }, (_, number) => this.#field(question, at, number, below, definitions));
    });
    return {
      operation: {
        kind: Kind.OPERATION_DEFINITION,
        operation: OperationTypeNode.QUERY,
        variableDefinitions: [
          ...definitions.values(),
          ...usedVariables(this.#clientVariables, [
            ...selections,
            ...fragments.flatMap((one) => one.selectionSet.selections),
          ]),
        ],
        selectionSet: { kind: Kind.SELECTION_SET, selections },
      },
      own: new Set(definitions.keys()),
      fragments,
    };
  }

  /** The variables of an operation. @param objects the objects of each question */
  variables(objects: readonly (readonly CallObject[])[]): readonly OwnVariable[] {
    const found = new Map<string, unknown>();
    this.#questions.forEach(({ call }, at) => {
      const asked = objects[at] ?? [];
      const calls = call.isMany ? (asked.length > 0 ? [asked] : []) : asked.map((object) => [object]);
      calls.forEach((ofCall, number) => {
        const values = call.valuesFor(ofCall);
        call.steps.forEach((step, index) => {
          for (const argument of step.arguments) {
            const name = this.#variableOf(argument, at, number, index);
            if (!found.has(name)) found.set(name, fitting(values[index]?.[argument.name], argument.type));
          }
        });
      });
    });
    return [...found].map(([variable, value]) => ({ variable, value }));
  }

  #variableOf({ name, isConstant }: ArgumentOfCall, question: number, number: number, step: number): string {
    return `${this.#prefix}${question}_${isConstant ? '' : `${number}_`}${step}_${name}`;
  }

  #field(
    { call: { steps }, arguments: ofClient }: RootFieldQuestion,
    question: number,
    number: number,
    selections: readonly SelectionNode[],
    definitions: Map<string, VariableDefinitionNode>,
  ): FieldNode {
    const last = steps.length - 1;
    const fieldOf = (index: number): FieldNode => {
      const step = steps[index];
      const own = (step?.arguments ?? []).map((argument): ArgumentNode => {
        const name = this.#variableOf(argument, question, number, index);
        const variable = { kind: Kind.VARIABLE, name: nameNode(name) } as const;
        if (!definitions.has(name))
          definitions.set(name, {
            kind: Kind.VARIABLE_DEFINITION,
            variable,
            type: parseType(String(argument.type), { noLocation: true }),
          });
        return { kind: Kind.ARGUMENT, name: nameNode(argument.name), value: variable };
      });
      const below = index === last ? selections : [fieldOf(index + 1)];
      return {
        kind: Kind.FIELD,
        ...(index === 0 && { alias: nameNode(this.keyOf(question, number)) }),
        name: nameNode(step?.field ?? ''),
        arguments: index === last ? [...own, ...ofClient] : own,
        ...(below.length > 0 && { selectionSet: { kind: Kind.SELECTION_SET, selections: below } }),
      };
    };
    return fieldOf(0);
  }
}

interface RootFieldsOperation {
  readonly operation: OperationDefinitionNode;
  /** The variables that are not the client's. */
  readonly own: ReadonlySet<string>;
  readonly fragments: readonly FragmentDefinitionNode[];
}

/** Moves selections to a fragment that several fields spread, unless they are as short as the spread itself. */
function shared(
  { selections, type }: RootFieldQuestion,
  name: string,
  fragments: FragmentDefinitionNode[],
): readonly SelectionNode[] {
  const [first, ...others] = selections;
  if (!first || (others.length === 0 && !('selectionSet' in first && first.selectionSet))) return selections;
  const typeCondition = { kind: Kind.NAMED_TYPE, name: nameNode(type) } as const;
  const selectionSet = { kind: Kind.SELECTION_SET, selections } as const;
  fragments.push({ kind: Kind.FRAGMENT_DEFINITION, name: nameNode(name), typeCondition, selectionSet });
  return [{ kind: Kind.FRAGMENT_SPREAD, name: nameNode(name) }];
}

type ArgumentOfCall = RootCall['steps'][number]['arguments'][number];

/** Matches a number in GraphQL's syntax. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Converts a value to an argument's type. One service may return a number where another expects a string. */
function fitting(value: unknown, type: GraphQLInputType): unknown {
  if (value === null || value === undefined) return value;
  const inner = getNullableType(type);
  if (isListType(inner)) return [value].flat().map((item) => fitting(item, inner.ofType));
  if (isInputObjectType(inner)) {
    if (typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.values(inner.getFields()).flatMap((field) => {
        const given = (value as CallObject)[field.name];
        return given === undefined ? [] : [[field.name, fitting(given, field.type)]];
      }),
    );
  }
  if (inner.name === 'String' && typeof value !== 'object') return String(value);
  const isNumber = (inner.name === 'Int' || inner.name === 'Float') && typeof value === 'string';
  // Other strings are sent unchanged. The service rejects them, whereas it might misinterpret null or zero.
  return isNumber && NUMBER.test(value) ? Number(value) : value;
}
