import {
  type FieldModel,
  type GraphModel,
  innermost,
  interfaceFields,
  isEntity,
  type ObjectModel,
  resolvingGraphs,
} from './graph-model.ts';
import type { Random } from './random.ts';

/** Adds to a model what its fields have of each other in several subgraphs. */
export function decorate(model: GraphModel, random: Random, isWide = false): void {
  const entities = model.objects.filter(isEntity);
  for (const entity of entities) {
    if (random.chance(30)) addOverride(model, entity, random);
    const count = random.below(4);
    for (let at = 0; at < count; at++) addRequirement(model, entity, random, isWide);
  }
  const roots = [...model.query, ...model.mutation, ...model.subscription];
  const all = [...roots, ...entities.flatMap(({ fields }) => fields)];
  for (const field of all) {
    if (field.targets.length > 0 && random.chance(25)) addProvided(model, field, random, isWide);
    if (isPlain(field) && random.chance(4) && !hasExternal(field))
      for (const [graph, share] of field.shares) field.shares.set(graph, { ...share, inaccessible: true });
    const [first] = field.shares;
    if (first && field.shares.size > 1 && !field.type.endsWith('!') && !hasExternal(field) && random.chance(20)) {
      // A failure below it would null more in that subgraph than the supergraph's type says.
      if (!makeSteady(model, field.targets)) continue;
      field.shares.set(first[0], { ...first[1], type: `${field.type}!` });
      field.isSteady = true;
    }
  }
  keepToWhatIsKnown(model);
}

/**
 * Makes fields never fail of which one schema of everything says more than a gateway can know. A required object is null for the
 * gateway where another field that the client selects in it fails. Objects of interface objects may be known by the interface alone,
 * whose fields may be null where those of the object's type must not.
 */
function keepToWhatIsKnown({ objects, interfaces }: GraphModel): void {
  const seen = new Set<string>();
  const keepPresent = (targets: readonly string[]): void => {
    for (const { name, fields } of objects) {
      if (!targets.includes(name) || seen.has(name)) continue;
      seen.add(name);
      for (const field of fields)
        if (field.type.endsWith('!')) {
          field.isSteady = true;
          keepPresent(field.targets);
        }
    }
  };
  const required = objects.flatMap(({ fields }) => fields.flatMap(({ requires }) => requires ?? []));
  for (const { fields } of objects)
    for (const { name, targets } of fields)
      if (required.some((text) => new RegExp(`\\b${name}\\b`).test(text))) keepPresent(targets);
  for (const one of interfaces)
    for (const { name, fields } of objects)
      if (one.objectGraph !== undefined && one.members.includes(name))
        for (const field of fields)
          if (field.type.endsWith('!') && one.fields.get(field.name)?.endsWith('!') === false) field.isSteady = true;
}

/** Makes all fields of value types never fail; false where one is an entity. */
function makeSteady(model: Pick<GraphModel, 'objects'>, targets: readonly string[]): boolean {
  const found = model.objects.filter(({ name }) => targets.includes(name));
  if (found.some(isEntity)) return false;
  for (const field of found.flatMap(({ fields }) => fields.filter(({ isSteady }) => !isSteady))) {
    field.isSteady = true;
    if (!makeSteady(model, field.targets)) return false;
  }
  return true;
}

function hasExternal({ shares }: FieldModel): boolean {
  return [...shares.values()].some(({ external }) => external);
}

function isPlain({ name, targets }: FieldModel): boolean {
  return name.startsWith('f') && targets.length === 0;
}

function addOverride(model: GraphModel, { graphs, fields }: ObjectModel, random: Random): void {
  const candidates = fields.filter((field) => field.shares.size === 1 && /^[fi]/.test(field.name));
  if (candidates.length === 0) return;
  const field = random.oneOf(candidates);
  const [from] = [...field.shares.keys()];
  const others = [...graphs.keys()].filter((graph) => graph !== from && knowsType(model, graph, field));
  if (from === undefined || others.length === 0) return;
  const label = random.chance(60) ? { label: random.oneOf(model.labels) } : {};
  field.shares.set(random.oneOf(others), { override: { from, ...label } });
}

/** Whether a subgraph has the type of a field with all that its values are. */
function knowsType({ objects, interfaces, unions, enums }: GraphModel, graph: string, field: FieldModel): boolean {
  const named = innermost(field.type);
  const known = enums.get(named)?.get(graph);
  if (known) return field.values?.every((value) => known.includes(value)) ?? true;
  const areKnown = field.targets.every((target) =>
    objects.some(({ name, graphs }) => name === target && graphs.has(graph)),
  );
  const union = unions.get(named);
  if (union) return areKnown && field.targets.every((target) => union.get(graph)?.includes(target));
  const abstract = interfaces.find(({ name }) => name === named);
  if (!abstract) return areKnown;
  return areKnown && abstract.objectGraph === undefined && interfaceFields(abstract, objects, graph).length > 0;
}

function addRequirement(model: GraphModel, entity: ObjectModel, random: Random, isWide: boolean): void {
  const graph = random.oneOf([...entity.graphs.keys()]);
  const isRequirable = (field: FieldModel) =>
    !resolvingGraphs(field).includes(graph) && /^[fir]/.test(field.name) && knowsType(model, graph, field);
  const texts: string[] = [];
  for (const field of random.some(entity.fields.filter(isRequirable), 1 + random.below(3))) {
    const below = isWide
      ? requiredBelowWidely(model, field, graph, random)
      : requiredBelow(model, field, graph, random);
    if (below === undefined) continue;
    texts.push(`${field.name}${argumentsFor(field, random)}${below}`);
    field.isSteady = true;
    if (!field.shares.has(graph)) field.shares.set(graph, { external: true });
  }
  if (texts.length === 0) return;
  const requires = texts.join(' ');
  const type = random.oneOf(['String', 'String!', '[Int!]']);
  const args = random.oneOf(['', '', 'n: Int', 'm: Int = 2']);
  const name = `r${entity.fields.length}`;
  entity.fields.push({ name, type, args, shares: new Map([[graph, { requires }]]), targets: [], requires });
}

function argumentsFor({ args }: FieldModel, random: Random): string {
  const given = args.split(', ').flatMap((text) => {
    const [name = '', type = ''] = text.split(/:\s*/);
    if (!/^(n|m|s|k)$/.test(name) || (!type.endsWith('!') && random.chance(40))) return [];
    return [`${name}: ${name === 's' ? random.oneOf(['"x"', '""', 'null']) : random.below(4)}`];
  });
  return given.length > 0 ? `(${given.join(', ')})` : '';
}

/** What is selected of a required field; undefined where its subgraph cannot require it. */
function requiredBelow(model: GraphModel, field: FieldModel, graph: string, random: Random): string | undefined {
  if (field.targets.length === 0) return '';
  const named = innermost(field.type);
  const object = model.objects.find(({ name }) => name === named);
  if (!object) return undefined;
  if (isEntity(object)) {
    const [key] = object.graphs.get(graph) ?? [];
    return key ? ` { ${key.fields} }` : undefined;
  }
  const fields = object.fields.filter((one) => one.targets.length === 0 && !/!/.test(one.args));
  const nested = object.fields.filter((one) => one.targets.length > 0 && !/!/.test(one.args));
  const texts = random.some(fields, 1 + random.below(2)).map((one) => {
    one.isSteady = true;
    return `${one.name}${argumentsFor(one, random)}`;
  });
  for (const one of nested)
    if (random.chance(40)) {
      one.isSteady = true;
      texts.push(`${one.name}${requiredBelow(model, one, graph, random) ?? ' { __typename }'}`);
    }
  return texts.length > 0 ? ` { ${texts.join(' ')} }` : undefined;
}

/** The same with type conditions, and with fields of entities that the subgraph does not resolve. */
function requiredBelowWidely(model: GraphModel, field: FieldModel, graph: string, random: Random): string | undefined {
  if (field.targets.length === 0 || innermost(field.type) === field.targets[0]) {
    const entity = model.objects.find(({ name }) => name === field.targets[0]);
    if (!entity || !isEntity(entity) || random.chance(40)) return requiredBelow(model, field, graph, random);
    return requiredOf(model, entity, graph, random);
  }
  const texts = field.targets.flatMap((target) => {
    const object = model.objects.find(({ name }) => name === target);
    if (!object || random.chance(30)) return [];
    const below = isEntity(object)
      ? requiredOf(model, object, graph, random)
      : requiredBelow(model, { ...field, type: target, targets: [target] }, graph, random);
    return below === undefined ? [] : [`... on ${target}${below}`];
  });
  if (random.chance(30) || texts.length === 0) texts.unshift('__typename');
  return ` { ${texts.join(' ')} }`;
}

/** What is required of an entity: a key, fields of others, or both. */
function requiredOf(model: GraphModel, entity: ObjectModel, graph: string, random: Random): string | undefined {
  const key = entity.graphs.get(graph)?.[0]?.fields ?? '';
  const candidates = entity.fields.filter(
    (one) =>
      isPlain(one) && !/!/.test(one.args) && !resolvingGraphs(one).includes(graph) && knowsType(model, graph, one),
  );
  const texts = random.some(candidates, 1 + random.below(2)).map((one) => {
    one.isSteady = true;
    if (!one.shares.has(graph)) one.shares.set(graph, { external: true });
    return `${one.name}${argumentsFor(one, random)}`;
  });
  if (key && (texts.length === 0 || random.chance(40))) texts.unshift(key);
  return texts.length > 0 ? ` { ${texts.join(' ')} }` : undefined;
}

/** What a subgraph provides of objects of a type that it does not resolve itself; empty where there is nothing. */
function providedOf(model: GraphModel, object: ObjectModel, graph: string, random: Random, depth: number): string {
  const candidates = object.fields.filter(
    (one) =>
      /^f/.test(one.name) &&
      one.args === '' &&
      !resolvingGraphs(one).includes(graph) &&
      knowsType(model, graph, one) &&
      ![...one.shares.values()].some(({ override, type }) => override || type),
  );
  const texts = random.some(candidates, 1 + random.below(2)).flatMap((one) => {
    const [target] = one.targets;
    const below = model.objects.find(({ name }) => name === target);
    const isObject =
      below !== undefined && isEntity(below) && below.graphs.has(graph) && innermost(one.type) === target;
    if (target !== undefined && (!isObject || depth === 0)) return [];
    const key = below?.graphs.get(graph)?.[0]?.fields;
    const inner = below && (providedOf(model, below, graph, random, depth - 1) || key);
    if (target !== undefined && !inner) return [];
    for (const [owner, share] of one.shares) if (!share.external) one.shares.set(owner, { ...share, shareable: true });
    if (!one.shares.has(graph)) one.shares.set(graph, { external: true });
    return [inner ? `${one.name} { ${inner} }` : one.name];
  });
  return texts.join(' ');
}

function addProvided(model: GraphModel, field: FieldModel, random: Random, isWide: boolean): void {
  const [graph] = resolvingGraphs(field);
  if (graph === undefined || field.shares.size > 1 || field.requires) return;
  const named = innermost(field.type);
  const texts = field.targets.flatMap((target) => {
    const object = model.objects.find(({ name }) => name === target);
    if (!object || !isEntity(object) || !object.graphs.has(graph)) return [];
    if (isWide) {
      const provided = providedOf(model, object, graph, random, 2);
      if (provided === '') return [];
      return [named === target ? provided : `... on ${target} { ${provided} }`];
    }
    const candidates = object.fields.filter(
      (one) =>
        isPlain(one) &&
        one.args === '' &&
        !resolvingGraphs(one).includes(graph) &&
        knowsType(model, graph, one) &&
        ![...one.shares.values()].some(({ override }) => override),
    );
    const provided = random.some(candidates, 1 + random.below(2));
    for (const one of provided) {
      for (const [owner, share] of one.shares)
        if (!share.external) one.shares.set(owner, { ...share, shareable: true });
      if (!one.shares.has(graph)) one.shares.set(graph, { external: true });
    }
    if (provided.length === 0) return [];
    const names = provided.map(({ name }) => name).join(' ');
    return [named === target ? names : `... on ${target} { ${names} }`];
  });
  if (texts.length === 0) return;
  field.shares.set(graph, { ...field.shares.get(graph), provides: texts.join(' ') });
}
