import { makeExecutableSchema } from '@graphql-tools/schema';
import { pruneSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLResolveInfo,
  GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  validateSchema,
} from 'graphql';
import { type ActionMetadata, type Metadata, resolveHeaders, resolveUrl } from '../metadata/index.ts';
import { type ActionWebhook, callWebhook } from './action-webhook.ts';
import type { Call } from './call.ts';
import { clientHeaderForwarding } from './client-headers.ts';
import { ADMIN_ROLE, type Source, SourceError, type Subschema, type Surroundings } from './source.ts';

type RootName = 'Query' | 'Mutation';

/**
 * Makes one source of all actions; undefined when there are none.
 *
 * @throws SourceError with everything that does not fit together.
 */
export function openActions(metadata: Metadata, surroundings: Surroundings): Source | undefined {
  const { actions } = metadata.actions;
  if (actions.length === 0) return undefined;
  const document = parseTypes(metadata.actionsSdl);
  checkNames(document, metadata);
  const webhooks = actions.map((action) => webhookOf(action, surroundings));
  const schemaOf = (names: ReadonlySet<string>) => executableSchema(document, names, webhooks);

  const subschemas = new Map<string, Subschema>();
  const whole = schemaOf(new Set(actions.map((action) => action.name)));
  return {
    name: 'actions',
    kind: 'actions',
    schema: whole,
    upstream: whole,
    subschemaFor: (role) => {
      const permitted = actions.filter(
        (action) => role === ADMIN_ROLE || action.permissions.some((p) => p.role === role),
      );
      if (permitted.length === 0) return undefined;
      const names = permitted.map((action) => action.name);
      const key = names.join(' ');
      const subschema = subschemas.get(key) ?? { schema: schemaOf(new Set(names)) };
      subschemas.set(key, subschema);
      return subschema;
    },
  };
}

/** `actions.graphql` with `extend type Query` taken as `type Query`: the file may use either. */
function parseTypes(sdl: string): DocumentNode {
  try {
    const document = parse(sdl);
    const definitions = document.definitions.map((definition) =>
      definition.kind === Kind.OBJECT_TYPE_EXTENSION
        ? ({ ...definition, kind: Kind.OBJECT_TYPE_DEFINITION } as ObjectTypeDefinitionNode)
        : definition,
    );
    return { ...document, definitions };
  } catch (error) {
    throw new SourceError([`actions.graphql: ${error instanceof GraphQLError ? error.message : String(error)}`]);
  }
}

/** The names of the fields of a root type, or of all types when none is named, in `actions.graphql`. */
function rootFields(document: DocumentNode, root: RootName): readonly string[] {
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === root
      ? (definition.fields ?? []).map((field) => field.name.value)
      : [],
  );
}

function checkNames(document: DocumentNode, metadata: Metadata): void {
  const inSdl = [...rootFields(document, 'Query'), ...rootFields(document, 'Mutation')];
  const inYaml = metadata.actions.actions.map((action) => action.name);
  const types = new Set(document.definitions.flatMap((d) => ('name' in d && d.name ? [d.name.value] : [])));
  const declared = Object.values(metadata.actions.custom_types).flat();
  const problems = [
    ...inYaml.filter((name) => !inSdl.includes(name)).map((name) => `action ${name} is not present in actions.graphql`),
    ...inSdl
      .filter((name) => !inYaml.includes(name))
      .map((name) => `${name} in actions.graphql is no action of actions.yaml`),
    ...declared
      .filter((type) => !types.has(type.name))
      .map((type) => `custom type ${type.name} is not present in actions.graphql`),
  ];
  if (problems.length > 0) throw new SourceError(problems);
}

type WebhookTarget = Omit<ActionWebhook, 'operation' | 'outputType'>;

function webhookOf(action: ActionMetadata, { environment, http }: Surroundings): WebhookTarget {
  const { definition } = action;
  const url = resolveUrl({ url: definition.handler }, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) throw new SourceError([`action ${action.name}: ${url.problem}`]);
  if ('problem' in headers) throw new SourceError([`action ${action.name}: ${headers.problem}`]);
  return {
    name: action.name,
    url: url.url,
    timeoutMs: definition.timeout * 1000,
    headers: headers.headers,
    forwardHeaders: definition.forward_client_headers
      ? clientHeaderForwarding(definition.ignored_client_headers)
      : undefined,
    http,
  };
}

/** The schema of the actions in `names` and of the types that they use, each field answered by its webhook. */
function executableSchema(
  document: DocumentNode,
  names: ReadonlySet<string>,
  webhooks: readonly WebhookTarget[],
): GraphQLSchema {
  const definitions = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !isRoot(definition.name.value)) return [definition];
    const fields = (definition.fields ?? []).filter((field) => names.has(field.name.value));
    return fields.length > 0 ? [{ ...definition, fields }] : [];
  });
  const resolvers = { Query: {}, Mutation: {} } as Record<RootName, Record<string, unknown>>;
  for (const webhook of webhooks.filter((candidate) => names.has(candidate.name))) {
    const root = rootFields(document, 'Query').includes(webhook.name) ? 'Query' : 'Mutation';
    resolvers[root][webhook.name] = resolverFor(webhook);
  }
  try {
    const used = Object.entries(resolvers).filter(([, fields]) => Object.keys(fields).length > 0);
    const schema = makeExecutableSchema({
      typeDefs: { ...document, definitions },
      resolvers: Object.fromEntries(used) as Record<string, Record<string, never>>,
    });
    return assumedValid(pruneSchema(schema));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError([`actions.graphql: ${(error as Error).message}`]);
  }
}

/** Only mutations make no whole schema for GraphQL. The role graph that this becomes a part of always has queries. */
function assumedValid(schema: GraphQLSchema): GraphQLSchema {
  const errors = validateSchema(schema).filter((error) => error.message !== 'Query root type must be provided.');
  if (errors.length > 0) throw new SourceError(errors.map((error) => `actions.graphql: ${error.message}`));
  return new GraphQLSchema({ ...schema.toConfig(), assumeValid: true });
}

function resolverFor(webhook: WebhookTarget) {
  return (_: unknown, input: Record<string, unknown>, call: Call, info: GraphQLResolveInfo) => {
    const operation = info.operation.operation === 'mutation' ? 'mutation' : 'query';
    return callWebhook({ ...webhook, operation, outputType: info.returnType }, input, call);
  };
}

function isRoot(name: string): name is RootName {
  return name === 'Query' || name === 'Mutation';
}
