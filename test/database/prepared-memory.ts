import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { unpackFiles } from './packed-files.ts';

type Module = PGlite['Module'];
type EmscriptenOptions = Parameters<MemoryFS['init']>[1];
type Node = ReturnType<Module['FS']['lookupPath']>['node'];

/** What the module has beside what PGlite's types say. */
interface FileFunctions {
  MEMFS: {
    createNode(folder: Node, name: string, mode: number, device: number): { contents: Uint8Array; usedBytes: number };
  };
  /** Called for each of the 700 files of PGlite's own package. */
  FS_createDataFile(path: string, name: null, content: Uint8Array): void;
}

/** A file that each user may read, write and execute, as `FS_createDataFile` makes them. */
const FILE_MODE = 0o100_777;

/**
 * PGlite's files in memory, filled with a packed data directory before the database is opened. Files are put into their folders
 * without the look-up of each folder of each path, and without a copy of their contents: that is half of the processor time of
 * a start.
 */
export class PreparedMemory extends MemoryFS {
  readonly #packed: Buffer;

  /** @param packed by `packFiles`; the database writes into it */
  constructor(packed: Buffer) {
    super();
    this.#packed = packed;
  }

  override async init(pg: PGlite, options: EmscriptenOptions): ReturnType<MemoryFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = [
      ...(emscriptenOpts.preRun ?? []),
      (module: Module) => {
        const putFile = createPutFile(module as Module & FileFunctions);
        Object.assign(module, {
          FS_createDataFile: (path: string, _name: null, content: Uint8Array) => putFile(path, content),
        });
      },
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }

  override async initialSyncFs(): Promise<void> {
    if (this.pg === undefined) throw new Error('PGlite has not initialized its files');
    const module = this.pg.Module as Module & FileFunctions;
    const putFile = createPutFile(module);
    const { folders, files } = unpackFiles(this.#packed);
    module.FS.mkdirTree(PGlite.paths.PGDATA);
    for (const folder of folders) module.FS.mkdir(PGlite.paths.PGDATA + folder);
    for (const { path, content } of files) putFile(PGlite.paths.PGDATA + path, content);
  }
}

/** Puts new files into folders that exist. */
function createPutFile({ FS, MEMFS }: Module & FileFunctions): (path: string, content: Uint8Array) => void {
  const folders = new Map<string, Node>();
  return (path, content) => {
    const slash = path.lastIndexOf('/');
    const name = path.slice(0, slash);
    const folder = folders.get(name) ?? FS.lookupPath(name, {}).node;
    folders.set(name, folder);
    const file = MEMFS.createNode(folder, path.slice(slash + 1), FILE_MODE, 0);
    file.contents = content;
    file.usedBytes = content.length;
  };
}
