import { type DocumentNode, Kind, parse, type TypeNode, visit } from 'graphql';
import { closest, editDistance, likelyMeant, suggestion } from '../../../platform/index.ts';
import { conditionVariables, type SessionCondition } from '../../access/variables/index.ts';
import type { TemplatePath } from '../../webhooks/kriti/index.ts';
import {
  type ActionMetadata,
  type ActionsMetadata,
  type ActionTypes,
  handlerTemplates,
  type RequestTransform,
  type ResponseTransform,
} from '../actions/index.ts';
import type { RemoteSchemaMetadata } from '../remote-schemas.ts';
import type { RestEndpointMetadata } from '../rest-endpoints.ts';
import type { Kind as MetadataKind } from '../store.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from '../yaml/index.ts';

type LocateInMetadata = (kind: MetadataKind, path: ValuePath, line?: number) => MetadataLocation;

/** A session variable that metadata uses, by lower-case name. */
export interface SessionVariableUse {
  readonly variable: string;
  readonly place: MetadataLocation;
}

const SESSION_VARIABLE_START = 'x-hasura-';
/** Session variables that tokens usually have. */
const USUAL_VARIABLES = ['x-hasura-role', 'x-hasura-user-id', 'x-hasura-tenant-id', 'x-hasura-org-id'];

/** The parts of the metadata that may use session variables. */
interface UsingMetadata {
  readonly remoteSchemas: readonly RemoteSchemaMetadata[];
  readonly actions: ActionsMetadata;
  readonly endpoints: readonly RestEndpointMetadata[];
}

/** Returns the session variables that presets of permissions, session conditions and templates of actions use. */
export function sessionVariableUses(using: UsingMetadata, place: LocateInMetadata): readonly SessionVariableUse[] {
  const {
    remoteSchemas,
    actions: { actions },
  } = using;
  return [
    ...conditionUses(using, place),
    ...remoteSchemas.flatMap(({ permissions = [] }, index) =>
      permissions.flatMap(({ definition }, at) =>
        presetTexts(definition.schema)
          .filter(({ text }) => isSessionVariable(text))
          .map(({ text, line }) => ({
            variable: text.toLowerCase(),
            place: place('remoteSchemas', [index, 'permissions', at, 'definition', 'schema'], line),
          })),
      ),
    ),
    ...actions.flatMap((action, index) =>
      templatePaths(action).flatMap(({ path: { variable, keys }, key }) => {
        const [name] = variable === '$session_variables' ? keys : keys.slice(1);
        const isRead = variable === '$session_variables' || (variable === '$body' && keys[0] === 'session_variables');
        if (!isRead || name === undefined || !isSessionVariable(name)) return [];
        return [{ variable: name.toLowerCase(), place: place('actions', ['actions', index, 'definition', key]) }];
      }),
    ),
  ];
}

function conditionUses(
  { remoteSchemas, actions: { actions }, endpoints }: UsingMetadata,
  place: LocateInMetadata,
): readonly SessionVariableUse[] {
  const usesOf = (kind: MetadataKind, path: ValuePath, condition: SessionCondition | undefined) =>
    (condition ? conditionVariables(condition) : []).map((variable) => ({ variable, place: place(kind, path) }));
  return [
    ...remoteSchemas.flatMap(({ permissions = [] }, index) =>
      permissions.flatMap(({ session_conditions: conditions = [] }, at) =>
        conditions.flatMap(({ condition }, position) =>
          usesOf('remoteSchemas', [index, 'permissions', at, 'session_conditions', position, 'condition'], condition),
        ),
      ),
    ),
    ...actions.flatMap(({ permissions }, index) =>
      permissions.flatMap(({ session_condition: condition }, at) =>
        usesOf('actions', ['actions', index, 'permissions', at, 'session_condition'], condition),
      ),
    ),
    ...endpoints.flatMap(({ session_condition: condition }, index) =>
      usesOf('restEndpoints', [index, 'session_condition'], condition),
    ),
  ];
}

/** Warns about session variables that are used once and resemble one that is used more often or that tokens usually have. */
export function sessionVariableSlips(uses: readonly SessionVariableUse[]): readonly MetadataProblem[] {
  const counts = new Map<string, number>(USUAL_VARIABLES.map((name) => [name, 2]));
  for (const { variable } of uses) counts.set(variable, (counts.get(variable) ?? 0) + 1);
  const bare = (name: string) => name.slice(SESSION_VARIABLE_START.length);
  const known = [...counts].filter(([, count]) => count > 1).map(([name]) => bare(name));
  return uses.flatMap(({ variable, place }) => {
    const meant = counts.get(variable) === 1 ? likelyMeant(bare(variable), known) : undefined;
    if (meant === undefined) return [];
    const message = `the session variable "${variable}" is not used anywhere else: did you mean "${SESSION_VARIABLE_START}${meant}"?`;
    return [{ ...place, message }];
  });
}

/** Warns about used session variables that no caller has. @param known the session variables that callers may have. */
export function unknownSessionVariables(
  uses: readonly SessionVariableUse[],
  known: ReadonlySet<string>,
): readonly MetadataProblem[] {
  return uses
    .filter(({ variable }) => !known.has(variable))
    .map(({ variable, place }) => {
      const meant = closest(
        variable.slice(SESSION_VARIABLE_START.length),
        [...known].map((name) => name.slice(SESSION_VARIABLE_START.length)),
      );
      const ending = meant === undefined ? '' : `: did you mean "${SESSION_VARIABLE_START}${meant}"?`;
      return { ...place, message: `no claims_map has the session variable "${variable}"${ending}` };
    });
}

/** Warns about presets that are sent literally but resemble a session variable. */
export function presetSlips(
  remoteSchemas: readonly RemoteSchemaMetadata[],
  place: LocateInMetadata,
): readonly MetadataProblem[] {
  return remoteSchemas.flatMap(({ permissions = [] }, index) =>
    permissions.flatMap(({ definition }, at) =>
      presetTexts(definition.schema)
        .filter(({ text }) => !isSessionVariable(text) && looksLikeSessionVariable(text))
        .map(({ text, line }) => ({
          ...place('remoteSchemas', [index, 'permissions', at, 'definition', 'schema'], line),
          message: `the preset "${text}" is sent as literal text: names of session variables begin with "x-hasura-"`,
        })),
    ),
  );
}

function isSessionVariable(text: string): boolean {
  return /^x-hasura-/i.test(text);
}

function looksLikeSessionVariable(text: string): boolean {
  const lower = text.toLowerCase();
  return (
    lower.startsWith('hasura-') ||
    (lower.startsWith('x') && editDistance(lower.slice(0, SESSION_VARIABLE_START.length), SESSION_VARIABLE_START) <= 2)
  );
}

/** A value of a preset. */
interface PresetText {
  readonly text: string;
  /** The line of the SDL, starting at 1. */
  readonly line: number | undefined;
}

/** Returns the values of presets that may name a session variable. Problems of the SDL are reported elsewhere. */
function presetTexts(sdl: string): readonly PresetText[] {
  // Parsing large SDL takes long, and most SDL has no presets.
  if (!sdl.includes('@preset')) return [];
  let document: DocumentNode;
  try {
    document = parse(sdl);
  } catch {
    return [];
  }
  const texts: PresetText[] = [];
  visit(document, {
    Directive: (directive) => {
      if (directive.name.value !== 'preset') return;
      const given = new Map((directive.arguments ?? []).map(({ name, value }) => [name.value, value]));
      const isStatic = given.get('static');
      if (isStatic?.kind === Kind.BOOLEAN && isStatic.value) return;
      const value = given.get('value');
      if (value)
        visit(value, { StringValue: ({ value: text, loc }) => void texts.push({ text, line: loc?.startToken.line }) });
    },
  });
  return texts;
}

/** Warns about templates that use an argument, or a field of an input object, that the action does not have. */
export function templateSlips(
  { actions }: ActionsMetadata,
  { document }: ActionTypes,
  place: LocateInMetadata,
): readonly MetadataProblem[] {
  const inputs = inputObjectsOf(document);
  return actions.flatMap((action, index) => {
    const fields = actionArguments(document, action.name);
    if (!fields) return [];
    const { request_transform: request, handler, field } = action.definition;
    const problemsIn = (paths: readonly TemplatePath[], key: string) => {
      const messages = paths.flatMap(({ variable, keys }) =>
        variable === '$body' ? (unknownInputField(keys, fields, inputs, field?.batch === true) ?? []) : [],
      );
      return [...new Set(messages)].map((message) => ({
        ...place('actions', ['actions', index, 'definition', key]),
        message,
      }));
    };
    return [
      ...problemsIn(requestPaths(request ?? undefined), 'request_transform'),
      ...problemsIn(handlerPaths(handler), 'handler'),
    ];
  });
}

const PAYLOAD = ['action', 'input', 'request_query', 'session_variables', 'field_arguments'];
/** The payload of a call for many objects. */
const BATCH_PAYLOAD = ['action', 'inputs', 'request_query', 'session_variables'];

type InputFields = ReadonlyMap<string, TypeNode>;

function unknownInputField(
  [first, ...rest]: readonly string[],
  ofAction: InputFields,
  inputs: ReadonlyMap<string, InputFields>,
  isBatched: boolean,
): string | undefined {
  if (first === undefined) return undefined;
  const payload = isBatched ? BATCH_PAYLOAD : PAYLOAD;
  if (!payload.includes(first))
    return `a template reads $body.${first}, which does not exist${suggestion(first, payload)}`;
  if (first !== 'input') return undefined;
  let fields: InputFields | undefined = ofAction;
  let path = '$body.input';
  for (const key of rest) {
    if (!fields) return undefined;
    path += `.${key}`;
    const type = fields.get(key);
    if (!type)
      return `a template reads ${path}, which is not an input of the action${suggestion(key, [...fields.keys()])}`;
    const inner: TypeNode = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    fields = inner.kind === Kind.NAMED_TYPE ? inputs.get(inner.name.value) : undefined;
  }
  return undefined;
}

function actionArguments({ definitions }: DocumentNode, action: string): InputFields | undefined {
  for (const definition of definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !/^(Query|Mutation)$/.test(definition.name.value)) continue;
    const field = definition.fields?.find(({ name }) => name.value === action);
    if (field) return new Map((field.arguments ?? []).map(({ name, type }) => [name.value, type]));
  }
  return undefined;
}

function inputObjectsOf({ definitions }: DocumentNode): ReadonlyMap<string, InputFields> {
  return new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
        ? [[definition.name.value, new Map((definition.fields ?? []).map(({ name, type }) => [name.value, type]))]]
        : [],
    ),
  );
}

function templatePaths({ definition }: ActionMetadata): readonly { path: TemplatePath; key: string }[] {
  const { request_transform: request, response_transform: response, handler } = definition;
  return [
    ...handlerPaths(handler).map((path) => ({ path, key: 'handler' })),
    ...requestPaths(request ?? undefined).map((path) => ({ path, key: 'request_transform' })),
    ...responsePaths(response ?? undefined).map((path) => ({ path, key: 'response_transform' })),
  ];
}

function handlerPaths(handler: ActionMetadata['definition']['handler']): readonly TemplatePath[] {
  return typeof handler === 'string' ? [] : handlerTemplates(handler).flatMap(({ paths }) => paths);
}

function requestPaths(transform: RequestTransform | undefined): readonly TemplatePath[] {
  if (!transform) return [];
  const { url, query_params: parameters, request_headers: headers, body } = transform;
  const texts = [
    ...(url ? [url] : []),
    ...(parameters && 'text' in parameters ? [parameters] : (parameters ?? []).map(({ value }) => value)),
    ...(headers?.add_headers ?? []).map(({ value }) => value),
    ...(body?.action === 'x_www_form_urlencoded' ? body.form_template.map(({ value }) => value) : []),
  ];
  return [...texts, ...(body?.action === 'transform' ? [body.template] : [])].flatMap(({ paths }) => paths);
}

function responsePaths(transform: ResponseTransform | undefined): readonly TemplatePath[] {
  return transform?.body?.action === 'transform' ? transform.body.template.paths.filter(isOfSession) : [];
}

/** Only session variables are known: the webhook defines the shape of `$body` in a response. */
function isOfSession({ variable }: TemplatePath): boolean {
  return variable === '$session_variables';
}
