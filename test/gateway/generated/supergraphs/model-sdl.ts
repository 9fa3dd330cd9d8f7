import {
  type FieldModel,
  type GraphModel,
  type InterfaceModel,
  interfaceFields,
  keyFields,
  type ObjectModel,
} from './graph-model.ts';

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable",
  "@requires", "@external", "@provides", "@interfaceObject", "@override", "@inaccessible"])`;

/** The SDL of each subgraph of a model, by name. */
export function subgraphSdls(model: GraphModel): ReadonlyMap<string, string> {
  return new Map(model.graphs.map((graph) => [graph, sdlOf(model, graph)]));
}

function sdlOf(model: GraphModel, graph: string): string {
  const { objects, interfaces, unions, enums, input } = model;
  const { query: Query, mutation: Mutation, subscription: Subscription } = model;
  const roots = Object.entries({ Query, Mutation, Subscription }).map(([name, fields]) =>
    typeText(`type ${name}`, fieldTexts(fields, graph)),
  );
  return [
    LINK,
    'scalar Any',
    ...[...enums].map(([name, byGraph]) => `enum ${name} { ${(byGraph.get(graph) ?? []).join(' ')} }`),
    `input Filter { ${input.get(graph)} }`,
    ...roots,
    ...objects.map((object) => objectText(object, interfaces, objects, graph)),
    ...interfaces.map((one) => interfaceText(one, model, graph)),
    ...[...unions].map(([name, byGraph]) =>
      byGraph.has(graph) ? `union ${name} = ${byGraph.get(graph)?.join(' | ')}` : '',
    ),
  ]
    .filter(Boolean)
    .join('\n');
}

function typeText(header: string, fields: readonly string[]): string {
  return fields.length > 0 ? `${header} {\n${fields.map((field) => `  ${field}\n`).join('')}}` : '';
}

function objectText(
  object: ObjectModel,
  interfaces: readonly InterfaceModel[],
  objects: readonly ObjectModel[],
  graph: string,
) {
  const keys = object.graphs.get(graph);
  if (!keys) return '';
  const implemented = interfaces.filter(
    (one) => one.members.includes(object.name) && interfaceFields(one, objects, graph).length > 0,
  );
  const names = implemented.map(({ name }) => name).join(' & ');
  const marks = keys.map(
    ({ fields, isResolvable }) => ` @key(fields: "${fields}"${isResolvable ? '' : ', resolvable: false'})`,
  );
  return typeText(`type ${object.name}${names && ` implements ${names}`}${marks.join('')}`, [
    ...keyFields(object, graph),
    ...fieldTexts(object.fields, graph),
  ]);
}

function interfaceText(one: InterfaceModel, { objects, interfaces }: GraphModel, graph: string): string {
  if (one.objectGraph === graph)
    return typeText(`type ${one.name} @interfaceObject @key(fields: "id")`, [
      'id: ID!',
      ...fieldTexts(one.objectFields, graph),
    ]);
  const parent = interfaces.find(({ name }) => name === one.parent);
  const implemented = parent && interfaceFields(parent, objects, graph).length > 0 ? ` implements ${parent.name}` : '';
  const isWhole = one.members.every((member) =>
    objects
      .find(({ name }) => name === member)
      ?.graphs.get(graph)
      ?.some(({ fields, isResolvable }) => fields === 'id' && isResolvable),
  );
  const fields = interfaceFields(one, objects, graph);
  const key =
    one.objectGraph && isWhole && fields.some((field) => field.startsWith('id:')) ? ' @key(fields: "id")' : '';
  return typeText(`interface ${one.name}${implemented}${key}`, fields);
}

function fieldTexts(fields: readonly FieldModel[], graph: string): string[] {
  return fields.flatMap(({ name, type, args, shares }) => {
    const share = shares.get(graph);
    if (!share) return [];
    const { override, requires, provides } = share;
    const label = override?.label === undefined ? '' : `, label: "${override.label}"`;
    return [
      `${name}${args && `(${args})`}: ${share.type ?? type}` +
        (share.external ? ' @external' : '') +
        (share.shareable ? ' @shareable' : '') +
        (share.inaccessible ? ' @inaccessible' : '') +
        (requires === undefined ? '' : ` @requires(fields: ${JSON.stringify(requires)})`) +
        (provides === undefined ? '' : ` @provides(fields: "${provides}")`) +
        (override ? ` @override(from: "${override.from}"${label})` : ''),
    ];
  });
}
