import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
  OperationTypeNode,
  printSchema,
} from 'graphql';
import { useState } from 'preact/hooks';
import { Button, CopyButton } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { exampleOperation } from './example-operation.ts';
import { openTab } from './tabs-state.ts';

const { docs } = explorer;
const ROOT_KINDS = Object.values(OperationTypeNode);
const MAX_MATCHES = 60;
/** Fields of each root type that are listed before it is opened. */
const MAX_ROOT_FIELDS = 20;

interface DocumentationProps {
  readonly schema: GraphQLSchema;
  /** The types that were opened, the current one last. */
  readonly way: readonly string[];
  readonly onGo: (way: readonly string[]) => void;
}

/** The types and fields that the role sees, by name or from the roots on. */
export function Documentation({ schema, way, onGo }: DocumentationProps) {
  const [sought, setSought] = useState('');
  const open = (name: string) => {
    setSought('');
    onGo([...way, name]);
  };
  const type = schema.getType(way.at(-1) ?? '');
  return (
    <div class="docs">
      <div class="row">
        <input
          type="search"
          class="grow"
          aria-label={docs.search}
          placeholder={docs.placeholder}
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        <CopyButton label={docs.copySdl} text={() => printSchema(schema)} />
      </div>
      {way.length > 0 && sought === '' && (
        <Button kind="quiet" onClick={() => onGo(way.slice(0, -1))}>
          ← {docs.back}
        </Button>
      )}
      {sought !== '' && <Matches schema={schema} sought={sought.toLowerCase()} onOpen={open} />}
      {sought === '' &&
        (type ? <TypeDetails schema={schema} type={type} onOpen={open} /> : <Roots {...{ schema, open }} />)}
    </div>
  );
}

type Open = (name: string) => void;

function Roots({ schema, open }: { readonly schema: GraphQLSchema; readonly open: Open }) {
  return (
    <>
      {ROOT_KINDS.map((kind) => {
        const root = schema.getRootType(kind);
        if (!root) return null;
        const fields = Object.values(root.getFields());
        const left = fields.length - MAX_ROOT_FIELDS;
        return (
          <section key={kind}>
            <h2 class="minor">{typeLink(root.name, open)}</h2>
            <ul class="list roots">
              {fields.slice(0, MAX_ROOT_FIELDS).map((field) => (
                <li key={field.name}>
                  <OpenExample kind={kind} field={field} />
                  <code class="code-name">{field.name}</code>
                </li>
              ))}
              {left > 0 && <li class="dim small">{docs.more(left)}</li>}
            </ul>
          </section>
        );
      })}
    </>
  );
}

function Matches({ schema, sought, onOpen }: { schema: GraphQLSchema; sought: string; onOpen: Open }) {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const matches = types
    .flatMap((type) => [
      ...(type.name.toLowerCase().includes(sought) ? [{ type: type.name, field: '' }] : []),
      ...memberFields(type)
        .filter(({ name }) => name.toLowerCase().includes(sought))
        .map(({ name }) => ({ type: type.name, field: `.${name}` })),
    ])
    .slice(0, MAX_MATCHES);
  if (matches.length === 0) return <p class="dim">{docs.nothing}</p>;
  return (
    <ul class="list">
      {matches.map(({ type, field }) => (
        <li key={type + field}>
          <button type="button" class="link" onClick={() => onOpen(type)}>
            {type}
            {field}
          </button>
        </li>
      ))}
    </ul>
  );
}

function TypeDetails({ schema, type, onOpen }: { schema: GraphQLSchema; type: GraphQLNamedType; onOpen: Open }) {
  const fields = memberFields(type);
  const kind = ROOT_KINDS.find((one) => schema.getRootType(one) === type);
  const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
  const possible = isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type) : [];
  return (
    <section>
      <h2 class="minor type-name">{type.name}</h2>
      {type.description && <p>{type.description}</p>}
      <TypeList title={docs.implements} types={interfaces} onOpen={onOpen} />
      <TypeList title={docs.possible} types={possible} onOpen={onOpen} />
      {fields.length > 0 && <h3>{docs.fields}</h3>}
      <ul class="list fields">
        {fields.map((field) => (
          <li key={field.name}>
            {kind !== undefined && 'args' in field && <OpenExample kind={kind} field={field} />}
            <FieldSignature field={field} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {isEnumType(type) && (
        <>
          <h3>{docs.values}</h3>
          <ul class="list">
            {type.getValues().map(({ name, description }) => (
              <li key={name}>
                <code>{name}</code> {description && <span class="dim">{description}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Begins an operation with a root field. */
function OpenExample({ kind, field }: { readonly kind: OperationTypeNode; readonly field: DocumentedRootField }) {
  function open() {
    const { query, variables } = exampleOperation(kind, field);
    openTab(query, variables);
  }
  return (
    <button type="button" class="link use" aria-label={docs.useOf(field.name)} onClick={open}>
      {docs.use}
    </button>
  );
}

function TypeList({ title, types, onOpen }: { title: string; types: readonly GraphQLNamedType[]; onOpen: Open }) {
  if (types.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="list">
        {types.map(({ name }) => (
          <li key={name}>{typeLink(name, onOpen)}</li>
        ))}
      </ul>
    </>
  );
}

type DocumentedRootField = GraphQLField<unknown, unknown>;
type AnyField = DocumentedRootField | GraphQLInputField;

function FieldSignature({ field, onOpen }: { readonly field: AnyField; readonly onOpen: Open }) {
  const given: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
  return (
    <>
      <code class="signature">
        <span class="code-name">{field.name}</span>
        {given.length > 0 && '('}
        {given.map((argument, at) => (
          <span key={argument.name}>
            {at > 0 && ', '}
            {argument.name}: {typeLink(getNamedType(argument.type).name, onOpen, String(argument.type))}
          </span>
        ))}
        {given.length > 0 && ')'}: {typeLink(getNamedType(field.type).name, onOpen, String(field.type))}
      </code>
      {field.description && <p class="dim small">{field.description}</p>}
      {field.deprecationReason && <p class="problem">{docs.deprecated(field.deprecationReason)}</p>}
    </>
  );
}

function memberFields(type: GraphQLNamedType): readonly AnyField[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return Object.values(type.getFields());
  return [];
}

/** @param shown the type as it is written, with its lists. */
function typeLink(name: string, onOpen: Open, shown = name) {
  return (
    <button type="button" class="link code-type" onClick={() => onOpen(name)}>
      {shown}
    </button>
  );
}
