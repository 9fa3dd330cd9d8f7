import { posix } from 'node:path';

/** Source files by their path from the root of the repository, such as `gateway/transports/http/accept.ts`. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Which rooms each room may import. A room is a folder or a single file. A room inside another may import what the outer
 * one may, and the outer room's own files; its entry lists the rooms beside it. A room may import the rooms inside it.
 */
export type ImportTable = Readonly<Record<string, readonly string[]>>;

export interface ArchitectureRules {
  readonly mayImport: ImportTable;
  /** Rooms whose files are imported directly, since they have no `index.ts`. */
  readonly withoutDoor: ReadonlySet<string>;
  /** Files beside a room's `index.ts` that other rooms may import as well. */
  readonly sideDoors: ReadonlySet<string>;
  /** How many files a folder may hold. */
  readonly maxFiles: number;
}

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * Checks the imports of a code base, type-only and dynamic ones included.
 *
 * @returns one sentence for each violation: an import that the table does not allow, an import past a door, a circle of
 * files or of rooms, a folder with too many files, an entry of the table or a side door that nothing uses.
 */
export function checkImports(sources: Sources, rules: ArchitectureRules): readonly string[] {
  const imports = [...sources].flatMap(([from, text]) => importsOf(from, text).filter(({ to }) => sources.has(to)));
  const rooms = new Rooms(rules);
  return [
    ...unlisted(sources, rooms),
    ...forbidden(imports, rooms, rules),
    ...unusedSideDoors(imports, rooms, rules),
    ...imports.filter((one) => !rooms.isThroughDoor(one)).map(({ from, to }) => `${from} reaches past a door: ${to}`),
    ...circles(edgesOf(imports.map(({ from, to }) => [from, to]))).map((files) => `files in a circle: ${files}`),
    ...circles(edgesOf(imports.flatMap((one) => rooms.edge(one)))).map((names) => `rooms in a circle: ${names}`),
    ...crowdedFolders(sources, rules.maxFiles),
  ];
}

/** What imports and exports of either kind, dynamic imports and types written `import('./x.ts').X` name. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

function importsOf(from: string, text: string): readonly Import[] {
  return [...text.matchAll(IMPORTED)].map(([, name = '']) => ({ from, to: posix.join(posix.dirname(from), name) }));
}

class Rooms {
  readonly #names: readonly string[];
  readonly #rules: ArchitectureRules;

  constructor(rules: ArchitectureRules) {
    this.#names = Object.keys(rules.mayImport);
    this.#rules = rules;
  }

  /** The innermost room that a file belongs to. */
  of(file: string): string | undefined {
    return this.#holding(file).at(-1);
  }

  /** Between rooms, an import is of the door of the outermost room that does not hold the importing file as well. */
  isThroughDoor({ from, to }: Import): boolean {
    const outermost = this.#entered(from, to);
    return (
      outermost === undefined ||
      outermost === to ||
      this.#rules.withoutDoor.has(outermost) ||
      this.#rules.sideDoors.has(to) ||
      to === `${outermost}/index.ts`
    );
  }

  isAcrossRooms({ from, to }: Import): boolean {
    return this.#entered(from, to) !== undefined;
  }

  /** The room that an import enters; undefined where it stays in its room, or goes to a room around it. */
  #entered(from: string, to: string): string | undefined {
    const around = new Set(this.#holding(from));
    return this.#holding(to).find((room) => !around.has(room));
  }

  /** An import of one room by another. What a room shares with the rooms inside it is its own affair. */
  edge({ from, to }: Import): readonly (readonly [string, string])[] {
    const [importing, imported] = [this.of(from), this.#entered(from, to)];
    if (importing === undefined || imported === undefined) return [];
    const isOwn = imported.startsWith(`${importing}/`);
    return isOwn ? [] : [[this.#beside(importing, imported), imported]];
  }

  /** The outermost room around `importing` that does not hold `imported` as well. */
  #beside(importing: string, imported: string): string {
    const around = new Set(this.#holding(imported));
    return this.#holding(importing).find((room) => !around.has(room)) ?? importing;
  }

  #holding(file: string): readonly string[] {
    return this.#names
      .filter((room) => file === room || file.startsWith(`${room}/`))
      .sort((one, other) => one.length - other.length);
  }

  /** The entries of the table that an import needs one of; empty when it needs none. */
  entriesFor({ from, to }: Import): readonly (readonly [string, string])[] {
    const entered = this.#entered(from, to);
    if (entered === undefined || entered.startsWith(`${this.of(from)}/`)) return [];
    return this.#holding(from).map((room) => [room, entered]);
  }
}

function unlisted(sources: Sources, rooms: Rooms): readonly string[] {
  return [...sources.keys()].filter((file) => rooms.of(file) === undefined).map((file) => `${file} is in no room`);
}

function forbidden(imports: readonly Import[], rooms: Rooms, { mayImport }: ArchitectureRules): readonly string[] {
  const used = new Set<string>();
  const wrong = imports.filter((one) => {
    const entries = rooms.entriesFor(one);
    const matching = entries.filter(([room, imported]) => mayImport[room]?.includes(imported));
    for (const entry of matching) used.add(entry.join(' '));
    return entries.length > 0 && matching.length === 0;
  });
  const unused = Object.entries(mayImport).flatMap(([room, imported]) =>
    imported.filter((other) => !used.has(`${room} ${other}`)).map((other) => `${room} does not import ${other}`),
  );
  return [...wrong.map(({ from, to }) => `${from} may not import ${to}`), ...unused];
}

/** Side doors that are only imported within their rooms, or are no files at all. */
function unusedSideDoors(
  imports: readonly Import[],
  rooms: Rooms,
  { sideDoors }: ArchitectureRules,
): readonly string[] {
  const used = new Set(imports.filter((one) => rooms.isAcrossRooms(one)).map(({ to }) => to));
  return [...sideDoors].filter((file) => !used.has(file)).map((file) => `no other room imports the side door ${file}`);
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function edgesOf(pairs: readonly (readonly [string, string])[]): Edges {
  const edges = new Map<string, Set<string>>();
  for (const [from, to] of pairs) if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  return edges;
}

/** One circle for each group of nodes that reach each other, from each node to the next one. */
function circles(edges: Edges): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  for (const start of edges.keys()) {
    if (done.has(start)) continue;
    const way = wayBack(start, edges);
    for (const node of way) done.add(node);
    if (way.length > 0) found.push([...way, start].join(' -> '));
  }
  return found;
}

/** The shortest way from a node to itself; empty when there is none. */
function wayBack(start: string, edges: Edges): readonly string[] {
  const before = new Map<string, string>();
  const pending = [start];
  for (const node of pending) {
    for (const next of edges.get(node) ?? []) {
      if (next === start) {
        const way = [node];
        for (let at = node; at !== start; ) {
          at = before.get(at) ?? start;
          way.unshift(at);
        }
        return way;
      }
      if (!before.has(next)) {
        before.set(next, node);
        pending.push(next);
      }
    }
  }
  return [];
}

function crowdedFolders(sources: Sources, maxFiles: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of sources.keys()) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder} holds ${count} files, more than ${maxFiles}`);
}
