import { createHash } from 'node:crypto';

/**
 * The last response that a remote schema was opened with. Services are introspected repeatedly and mostly answer the
 * same bytes, which are not parsed again.
 */
export class LastAnswer<Opened> {
  #last: { readonly digest: string; readonly opened: Opened } | undefined;

  /**
   * @param ask gives undefined for an answer of whose body it finds that it is known.
   * @param open opens what was asked for; only what opens is known from then on.
   * @param kept gives the equal one that is in use, where there is one: what is opened is held once then.
   * @throws what they throw
   */
  async open<Read>(
    ask: (isKnown: (body: string) => boolean) => Promise<Read | undefined>,
    open: (read: Read) => Opened,
    kept: (opened: Opened) => Opened,
  ): Promise<Opened> {
    // Another answer may come meanwhile.
    const last = this.#last;
    let digest = '';
    const read = await ask((body) => {
      digest = createHash('sha256').update(body).digest('base64');
      return digest === last?.digest;
    });
    let opened: Opened;
    if (read !== undefined) opened = kept(open(read));
    else if (last) opened = kept(last.opened);
    else throw new TypeError('an answer that is not known was not read');
    this.#last = { digest, opened };
    return opened;
  }
}
