import type { z } from 'zod';
import { problemsOfShape } from './shapes/index.ts';
import { type Kind, METADATA_KINDS, type MetadataStore } from './store.ts';
import { type IgnoredMetadata, withoutUnsupported } from './unsupported.ts';
import type { MetadataLocation, MetadataProblem, ValuePath, YamlTree } from './yaml/index.ts';

const EMPTY_FILE = 'the file is empty, so it configures nothing; write [] or {} if that is intended';

/** Reads the kinds of metadata, each with its shape, and collects problems and ignored metadata. */
export class SectionReader {
  /** Unsupported metadata of the kinds read so far. */
  readonly ignored: IgnoredMetadata[] = [];
  /** Warnings about empty files. */
  readonly empty: MetadataProblem[] = [];
  /** The content of the files with included files inserted, by the keys of Hasura's export. */
  readonly asWritten: Record<string, unknown> = {};
  readonly #store: MetadataStore;
  readonly #problems: MetadataProblem[];
  readonly #invalid = new Set<Kind>();
  readonly #places = new Map<Kind, YamlTree['place']>();

  /** @param problems the list to which problems are added. */
  constructor(store: MetadataStore, problems: MetadataProblem[]) {
    this.#store = store;
    this.#problems = problems;
  }

  /** @returns `whenAbsent` if the metadata has nothing of the kind, or if it is invalid. */
  read<T>(kind: Kind, shape: z.ZodType<T>, whenAbsent: T): T {
    const before = this.#problems.length;
    const value = this.#parseSection(kind, shape) ?? whenAbsent;
    if (this.#problems.length > before) this.#invalid.add(kind);
    return value;
  }

  #parseSection<T>(kind: Kind, shape: z.ZodType<T>): T | undefined {
    const section = this.#store.section(kind);
    if (!section) {
      if (this.#store.isEmpty(kind)) this.empty.push({ file: METADATA_KINDS[kind].file, message: EMPTY_FILE });
      return undefined;
    }
    this.#places.set(kind, section.place);
    this.asWritten[METADATA_KINDS[kind].key] = section.value;
    const { value, taken } = withoutUnsupported(kind, section.value);
    this.ignored.push(...taken.map(({ path, what }) => ({ ...section.place(path), what })));
    const parsed = shape.safeParse(value);
    if (parsed.success) return parsed.data;
    this.#problems.push(
      ...problemsOfShape(parsed.error).map(({ path, message }) => ({ ...section.place(path), message })),
    );
    return undefined;
  }

  /** Returns whether a kind that has been read is valid or absent. */
  isValid(kind: Kind): boolean {
    return !this.#invalid.has(kind);
  }

  /**
   * Returns the location of a value.
   *
   * @param line a line within the value, if it is a text.
   */
  readonly place = (kind: Kind, path: ValuePath, line?: number): MetadataLocation =>
    this.#places.get(kind)?.(path, line) ?? { file: METADATA_KINDS[kind].file };

  /** Returns a function that locates the values of one kind. */
  at(kind: Kind): (path: ValuePath) => MetadataLocation {
    return (path) => this.place(kind, path);
  }
}
