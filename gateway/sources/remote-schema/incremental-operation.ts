import {
  boundaryOf,
  MultipartReader,
  UpstreamError,
  type UpstreamFlow,
  type UpstreamHandler,
  type UpstreamResponse,
  type UpstreamSink,
} from '../../upstream/index.ts';
import type {
  IncrementalFlow,
  IncrementalOperation,
  IncrementalPayload,
  IncrementalReceiver,
  OperationAnswer,
  OperationDocument,
  ParsedPayload,
} from '../compiled-operation.ts';
import { invalidJsonResponse, truncatedResponse } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import {
  mayBeLast,
  mayBeObject,
  mayHaveNext,
  mayHoldMoreThanData,
  PromisedPieces,
  parsePart,
  relayedPart,
} from './incremental-payloads.ts';
import { announcesResults, PayloadTranslation } from './payload-translation.ts';
import { Forwarding, forwardedBody } from './remote-operation.ts';
import { type RemoteTarget, remoteRequest } from './remote-request.ts';
import { checkedResult, REMOTE_SCHEMA_ERROR, takeCookies, upstreamFailure } from './remote-response.ts';

type UpstreamResponseHeaders = UpstreamResponse['headers'];

const MULTIPART_NAME = 'multipart/mixed';
const MULTIPART_MIXED = /^multipart\/mixed\s*(?:;|$)/i;
const BOUNDARY_PARAMETER = /;\s*boundary\s*=\s*(?:"[^"]*"|[^\s;"]+)/gi;
const NEWER_PARAMETER = '; incrementalSpec=v0.2';
/** Parameters that can be sent in a response header. */
const MEDIA_TYPE_PARAMETERS = /^(?:;[\w\s."=-]*)*$/;

/** Compiles an operation with `@defer` or `@stream`. The remote schema may send its response in several payloads. */
export function compileIncremental(target: RemoteTarget, toPrepare: OperationDocument): IncrementalOperation {
  const bodyWith = forwardedBody(toPrepare);
  const isQuery = toPrepare.operation.operation === 'query';
  return {
    run: (variables, context, formats, receiver) => {
      const request = remoteRequest(target, bodyWith(variables), context, isQuery);
      const headers = accepting(request.headers as readonly string[], `${formats.accept}, application/json`);
      const forwarding = new PartsForwarding(target, context, receiver, formats.isNewerOnly);
      target.http.dispatch({ ...request, headers, takesParts: true }, forwarding);
    },
  };
}

/** Replaces the value of `Accept` in alternating names and values. */
function accepting(headers: readonly string[], accept: string): readonly string[] {
  return headers.map((value, at) => (at % 2 === 1 && headers[at - 1] === 'accept' ? accept : value));
}

/** An operation in flight whose response is complete or incremental. */
class PartsForwarding implements UpstreamHandler, IncrementalFlow {
  readonly #target: RemoteTarget;
  readonly #context: OperationContext;
  readonly #receiver: IncrementalReceiver;
  readonly #promised = new PromisedPieces();
  readonly #isNewerOnly: boolean;
  /** Translates payloads if the client does not read their format. */
  #translation: PayloadTranslation | undefined;
  #headers: UpstreamResponseHeaders = {};
  #flow: UpstreamFlow | undefined;
  #parameters = '';
  #state: 'waiting' | 'begun' | 'over' = 'waiting';

  /** @param isNewerOnly whether the client only reads payloads of v0.2. */
  constructor(target: RemoteTarget, context: OperationContext, receiver: IncrementalReceiver, isNewerOnly: boolean) {
    this.#target = target;
    this.#context = context;
    this.#receiver = receiver;
    this.#isNewerOnly = isNewerOnly;
  }

  onStart(status: number, headers: UpstreamResponseHeaders, flow: UpstreamFlow): UpstreamSink | undefined {
    const type = partsTypeOf(status, headers);
    if (type === undefined) return undefined;
    this.#headers = headers;
    this.#flow = flow;
    this.#parameters = parametersOf(type);
    const reader = new MultipartReader(boundaryOf(type), (bytes) => this.#take(bytes));
    return {
      onData: (chunk) => {
        if (this.#state === 'over') return 0;
        if (!reader.read(chunk)) flow.refuse('the response is not valid multipart');
        return reader.pendingBytes;
      },
      onEnd: () => this.onError(new UpstreamError('connection', new Error('the response ended before its last part'))),
    };
  }

  onResponse(response: UpstreamResponse): void {
    new Forwarding(this.#target, this.#context, (answer) => this.#answer(answer)).onResponse(response);
  }

  onError(error: UpstreamError): void {
    const { name } = this.#target;
    if (this.#state === 'waiting') this.#answer(upstreamFailure(name, error, this.#context));
    else if (this.#state === 'begun')
      this.#end(this.#promised.broken(truncatedResponse(name, REMOTE_SCHEMA_ERROR, error, this.#context)));
  }

  pause(): void {
    if (this.#state !== 'over') this.#flow?.pause();
  }

  resume(): void {
    this.#flow?.resume();
  }

  lastPart(error: unknown): ParsedPayload {
    return this.#promised.broken(error);
  }

  #take(bytes: Buffer): void {
    if (this.#state === 'waiting') this.#takeFirst(bytes);
    else if (this.#state === 'begun') this.#takeNext(bytes);
  }

  /**
   * Reads the first payload. A payload without `hasNext: true` is a complete response, unless it contains deferred
   * results besides the data.
   */
  #takeFirst(bytes: Buffer): void {
    const { name } = this.#target;
    this.#flow?.begun();
    takeCookies({ headers: this.#headers }, this.#context);
    const holdsMore = mayHoldMoreThanData(bytes);
    const isToBeRead = this.#isNewerOnly || holdsMore || !mayHaveNext(bytes) || !mayBeObject(bytes);
    const read = isToBeRead ? parsePart(bytes) : undefined;
    if (isToBeRead && !read) this.#answer({ data: null, errors: [invalidJsonResponse(name)] });
    else if (read && read.hasNext !== true && !bringsMoreThanData(read))
      this.#answer(checkedResult(name, read, this.#context));
    else {
      // The HTTP hints of the payload have to be known before the response begins.
      const part = read ? relayedPart(name, read, this.#context) : bytes;
      if (this.#isNewerOnly && read && !announcesResults(read)) this.#beginTranslated(part as ParsedPayload);
      else this.#begin(holdsMore ? part : bytes, this.#parameters);
      if (read?.hasNext === false && this.#state === 'begun') this.#end();
    }
  }

  #beginTranslated(read: ParsedPayload): void {
    this.#translation = new PayloadTranslation();
    const part = this.#translation.first(read);
    if (part) this.#begin(part, NEWER_PARAMETER);
    else this.#answer({ data: null, errors: [invalidJsonResponse(this.#target.name)] });
  }

  #begin(part: IncrementalPayload, parameters: string): void {
    this.#state = 'begun';
    this.#receiver.begun(parameters, this);
    this.#give(part);
  }

  #takeNext(bytes: Buffer): void {
    if (this.#translation) {
      this.#takeTranslated(bytes, this.#translation);
      return;
    }
    const holdsMore = mayHoldMoreThanData(bytes);
    const read = holdsMore || mayBeLast(bytes) ? parsePart(bytes) : undefined;
    if (holdsMore ? !read : !mayBeObject(bytes)) {
      this.#flow?.refuse('a part is not valid JSON');
      return;
    }
    this.#give(holdsMore && read ? relayedPart(this.#target.name, read, this.#context) : bytes);
    // The payload may have been refused just now.
    if (read?.hasNext === false && this.#state === 'begun') this.#end();
  }

  #takeTranslated(bytes: Buffer, translation: PayloadTranslation): void {
    const read = parsePart(bytes);
    const part = read && translation.next(relayedPart(this.#target.name, read, this.#context));
    if (!part) {
      this.#flow?.refuse('a part is in no format that can be translated');
      return;
    }
    this.#give(part);
    if (part.hasNext === false && this.#state === 'begun') this.#end();
  }

  #give(part: IncrementalPayload): void {
    const isWithinBounds = this.#promised.note(part);
    this.#receiver.part(part);
    if (!isWithinBounds) this.#flow?.refuse('too many results are pending');
  }

  #answer(answer: OperationAnswer): void {
    this.#state = 'over';
    this.#receiver.answered(answer);
  }

  #end(last?: ParsedPayload): void {
    this.#state = 'over';
    // If the client has disconnected, reading on releases the slot when the service ends its response.
    this.resume();
    this.#receiver.ended(last);
  }
}

function bringsMoreThanData({ hasNext, incremental }: ParsedPayload): boolean {
  return hasNext === false && Array.isArray(incremental) && incremental.length > 0;
}

/** The content type of an incremental response. Undefined for all other responses and for unreadable encodings. */
function partsTypeOf(status: number, headers: UpstreamResponseHeaders): string | undefined {
  const type = String(headers['content-type'] ?? '');
  const encoding = headers['content-encoding'] ?? 'identity';
  const isInParts = status >= 200 && status <= 299 && MULTIPART_MIXED.test(type) && encoding === 'identity';
  return isInParts ? type : undefined;
}

/** The parameters of a content type, which name the format of the payloads. */
function parametersOf(type: string): string {
  const parameters = type.slice(MULTIPART_NAME.length).replace(BOUNDARY_PARAMETER, '').trim();
  return MEDIA_TYPE_PARAMETERS.test(parameters) ? parameters : '';
}
