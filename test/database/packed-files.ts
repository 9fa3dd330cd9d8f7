import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file as the index of a package describes it. Of its `size` bytes, those from `stored` on are zeros and not in the package. */
interface PackedFile {
  path: string;
  size: number;
  stored: number;
}

interface Index {
  folders: string[];
  files: PackedFile[];
}

/** What a package begins with: the length of its index, a 32-bit number. The contents follow the index. */
const INDEX_LENGTH_BYTES = 4;
/** Fewer zeros at the end of a file are stored. */
const MIN_ZEROS = 65_536;

/** All that is below `root` as one buffer, but what is at or below a path that `without` matches. Paths begin with a slash. */
export async function packFiles(root: string, without: RegExp): Promise<Buffer> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const index: Index = { folders: [], files: [] };
  const contents: Uint8Array[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(root.length);
    if (without.test(path)) continue;
    if (entry.isDirectory()) index.folders.push(path);
    else {
      const content = await readFile(file);
      const stored = withoutZeros(content);
      index.files.push({ path, size: content.length, stored: stored.length });
      contents.push(stored);
    }
  }
  const described = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(INDEX_LENGTH_BYTES);
  length.writeUInt32LE(described.length);
  return Buffer.concat([length, described, ...contents]);
}

function withoutZeros(content: Buffer): Buffer {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end -= 1;
  return content.length - end < MIN_ZEROS ? content : content.subarray(0, end);
}

/** The contents are parts of `packed`, so that what is written into them changes it. */
export function unpackFiles(packed: Buffer): { folders: string[]; files: { path: string; content: Uint8Array }[] } {
  const contentsAt = INDEX_LENGTH_BYTES + packed.readUInt32LE(0);
  const { folders, files }: Index = JSON.parse(packed.toString('utf8', INDEX_LENGTH_BYTES, contentsAt));
  let at = contentsAt;
  return {
    folders,
    files: files.map(({ path, size, stored }) => {
      const part = packed.subarray(at, at + stored);
      at += stored;
      if (stored === size) return { path, content: part };
      // The system gives zeros, and only the memory that is used.
      const content = new Uint8Array(size);
      content.set(part);
      return { path, content };
    }),
  };
}
