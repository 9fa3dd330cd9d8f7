/** A file of generated code. */
export interface GeneratedFile {
  /** Without a folder. */
  readonly name: string;
  readonly text: string;
  /**
   * Who changes the file later. `--force` replaces files of the generator. Files of the developer are written once: they
   * contain the developer's code afterwards.
   */
  readonly owner: 'generator' | 'developer';
}
