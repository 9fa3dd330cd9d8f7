import {
  getIntrospectionQuery,
  introspectionFromSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printSchema,
} from 'graphql';
import { gatewayUrl, readDocument } from '../../api/index.ts';
import { Button, CodeBlock, LoadFailure, PageHeader, saveFile, useLoaded } from '../../parts/index.ts';
import { loadRoleSchema } from '../../role-schema/index.ts';
import { authorized, kindOfSession, role } from '../../session/index.ts';
import { schemaPage, shell } from '../../texts/index.ts';
import * as commands from './commands.ts';

const { downloads, codegen } = schemaPage;
const JSON_TYPE = 'application/json';

/** The schema of the caller's role to download, and commands that make clients of it. */
export function SchemaPage() {
  return (
    <>
      <PageHeader title={schemaPage.title} lead={schemaPage.lead} />
      <Downloads />
      <Codegen />
    </>
  );
}

function Downloads() {
  const { value: schema, error, reload } = useLoaded(loadRoleSchema, [role.value]);
  const openApi = useLoaded(
    (signal) => authorized((headers) => readDocument<object>('api/swagger/json', { headers, signal })),
    [role.value],
  );
  const sdl = schema && printSchema(schema);
  const types = Object.values(schema?.getTypeMap() ?? {}).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return (
    <section class="card" aria-labelledby="downloads">
      <h2 id="downloads">{downloads.title}</h2>
      {error !== undefined && <LoadFailure what={downloads.sdl} error={error} reload={reload} />}
      {error === undefined && (
        <p class="dim">{sdl === undefined ? shell.loading : downloads.size(types.length, sdl.split('\n').length)}</p>
      )}
      {openApi.error !== undefined && (
        <LoadFailure what={downloads.openapi} error={openApi.error} reload={openApi.reload} />
      )}
      <div class="row">
        <Button
          disabled={sdl === undefined}
          onClick={() => saveFile('schema.graphql', sdl ?? '', 'application/graphql')}
        >
          {downloads.sdl}
        </Button>
        <Button
          disabled={!schema}
          onClick={() => schema && saveFile('schema.json', indentedJson(introspectionFromSchema(schema)), JSON_TYPE)}
        >
          {downloads.introspection}
        </Button>
        <Button
          disabled={!openApi.value}
          onClick={() => saveFile('openapi.json', indentedJson(openApi.value), JSON_TYPE)}
        >
          {downloads.openapi}
        </Button>
      </div>
    </section>
  );
}

function Codegen() {
  const isAdmin = kindOfSession.value === 'admin-secret';
  const context = { origin: gatewayUrl('.').href.replace(/\/$/, ''), role: role.value, isAdmin };
  const { steps } = codegen;
  return (
    <section class="card" aria-labelledby="codegen">
      <h2 id="codegen">{codegen.title}</h2>
      <p class="dim">{codegen.text}</p>
      <CodeBlock label={isAdmin ? codegen.adminToken : codegen.token} text={commands.credentialCommand(context)} />
      <CodeBlock label={steps.codegen} text={commands.codegenCommand(context)} />
      <CodeBlock label={steps.tada} text={commands.tadaCommand(context)} />
      <CodeBlock label={steps.openapi} text={commands.openapiCommand(context)} />
      <CodeBlock label={steps.curl} text={commands.introspectionCommand(context, getIntrospectionQuery())} />
    </section>
  );
}

function indentedJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
