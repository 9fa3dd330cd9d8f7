import { refuseCrossSite } from '../../access/session/index.ts';
import { GatewayError, methodNotAllowed, notAcceptable, toLoggedError } from '../../errors.ts';
import type {
  Batch,
  ExecutableRequest,
  OperationPipeline,
  OperationRequest,
  PartsReceiver,
  PreparedRequest,
  RejectedRequest,
} from '../../pipeline/index.ts';
import {
  flatRefusal,
  type OperationResult,
  type ResultFormat,
  refusedRequest,
  writtenJson,
} from '../../pipeline/index.ts';
import type { HttpHints } from '../../sources/index.ts';
import {
  acceptedEvents,
  acceptedParts,
  answerOfOnePart,
  bodyChunks,
  type EventStreamType,
  type HttpExchange,
  MultipartResponse,
  negotiate,
  type ResponseHeaders,
  type ResponseType,
  readJson,
  refuseCompressed,
  refuseLongAccept,
  sendCompressible,
  sendFlatError,
  sendJson,
  setOwnHeaders,
} from '../http/index.ts';
import {
  filesNotSupported,
  methodOfSingleConnection,
  missingBody,
  missingOperations,
  mutationByGet,
  singleConnectionNotSupported,
} from './errors.ts';
import { type Incoming, readOperationRequest, readOperations, readQueryString } from './incoming.ts';
import { IncomingFiles, isMultipart, type UploadLimits } from './uploads.ts';

export interface GraphqlEndpointOptions {
  readonly operations: OperationPipeline;
  readonly maxBodyBytes: number;
  readonly uploads: UploadLimits;
  /** Whether the JSON response of a login also has the member that the reference contract shows. */
  readonly referenceEnvelope: boolean;
  /** Responds with an event stream. */
  readonly streamEvents: (exchange: HttpExchange, prepared: PreparedRequest, type: EventStreamType) => Promise<void>;
}

/**
 * The form of a rejected request. `graphql`: `{"errors": […]}`, usually with status 200 under `application/json`. `flat`: the
 * true status and Hasura's flat error body with the first error, as Hasura responds at its oldest address.
 */
export type RefusalForm = 'graphql' | 'flat';

/** Handles `/v1/graphql` (GraphQL over HTTP): POST, GET for queries, batches, and both media types. */
export function graphqlEndpoint(
  options: GraphqlEndpointOptions,
  form: RefusalForm = 'graphql',
): (exchange: HttpExchange) => void {
  return (exchange) => new GraphqlExchange(exchange, options, form).receive();
}

/** Rejects a request to `/v1/graphql` without reading the rest of it. */
export function refuseGraphqlRequest(exchange: HttpExchange, error: GatewayError): void {
  exchange.record?.addError(error.code);
  sendJson(exchange, error.status, { errors: [refusedRequest(error)] }, error.headers);
}

/** A request to `/v1/graphql`. The methods are in the order of the stages. An error in any of them rejects the request. */
class GraphqlExchange {
  readonly #exchange: HttpExchange;
  readonly #options: GraphqlEndpointOptions;
  readonly #form: RefusalForm;
  readonly #type: ResponseType | undefined;
  /** The type of event stream that the client accepts. */
  readonly #events: EventStreamType | undefined;
  #files: IncomingFiles | undefined;

  constructor(exchange: HttpExchange, options: GraphqlEndpointOptions, form: RefusalForm) {
    this.#exchange = exchange;
    this.#options = options;
    this.#form = form;
    this.#type = negotiate(exchange.request.headers.accept);
    this.#events = acceptedEvents(exchange.request.headers.accept);
  }

  receive(): void {
    this.#attempt(() => {
      const { request, search } = this.#exchange;
      const { operations, maxBodyBytes } = this.#options;
      refuseLongAccept(request.headers.accept);
      refuseSingleConnection(this.#exchange);
      if (!this.#type && !this.#events && !acceptedParts(request.headers.accept)) throw notAcceptable();
      if (request.method === 'GET') this.#prepareOne(readQueryString(new URLSearchParams(search)));
      else if (request.method !== 'POST') throw methodNotAllowed('GET, POST');
      else if (isMultipart(request)) this.#receiveFiles();
      else
        readJson(this.#exchange, maxBodyBytes, (refusal, body) =>
          this.#attempt(() => {
            if (refusal) throw refusal;
            if (body === undefined) throw missingBody();
            this.#prepare(readOperations(body, operations.maxBatch));
          }),
        );
    });
  }

  /** Files need a media type that forms of any web page can send. */
  #receiveFiles(): void {
    const { request } = this.#exchange;
    refuseCrossSite(request.headers, () => false);
    refuseCompressed(request);
    const { maxBodyBytes, uploads } = this.#options;
    const incoming = new IncomingFiles(request, uploads, maxBodyBytes, (refusal, operation, files) =>
      this.#attempt(() => {
        if (refusal || !files) throw refusal ?? missingOperations();
        this.#files = files;
        this.#prepareOne({ ...readOperationRequest(operation), files });
      }),
    );
    this.#exchange.onClose(() => incoming.discard());
  }

  #prepare(incoming: Incoming): void {
    if (incoming.batch) this.#answerBatch(incoming.requests).catch((thrown) => this.#refuse(thrown));
    else this.#prepareOne(incoming.request);
  }

  #prepareOne(request: OperationRequest): void {
    const prepared = this.#options.operations.prepare(request, this.#exchange, {
      mayStream: this.#events !== undefined,
    });
    if (prepared instanceof Promise)
      prepared.then(
        (known) => this.#attempt(() => this.#runOne(known)),
        (thrown) => this.#refuse(thrown),
      );
    else this.#runOne(prepared);
  }

  #runOne(prepared: PreparedRequest): void {
    // The client may have disconnected while an external service verified its credentials.
    if (this.#exchange.cancellation.isCancelled) return;
    if (prepared.kind === 'rejected') this.#answerRejected(prepared);
    else this.#run(prepared);
  }

  #answerRejected(rejected: RejectedRequest): void {
    if (this.#form === 'flat') throw flatRefusal(rejected);
    const { errors, retryAfterSeconds, status = 400 } = rejected;
    this.#exchange.record?.addErrors(errors);
    if (retryAfterSeconds !== undefined)
      this.#send(503, rejectedBody(rejected), { 'retry-after': String(retryAfterSeconds) });
    else if (this.#events && !this.#type) this.#streamEvents(rejected, this.#events);
    // Under `application/json`, a well-formed GraphQL request has status 200 (GraphQL over HTTP 6.4.1).
    else this.#send(this.#type === 'application/json' ? 200 : status, rejectedBody(rejected));
  }

  #run(executable: ExecutableRequest): void {
    const { operation, plans, request } = executable;
    if (request.files && !plans.plan.takesFiles) throw filesNotSupported();
    if (operation.operation === 'mutation' && this.#exchange.request.method === 'GET') throw mutationByGet();
    // If a client accepts both JSON and event streams, only subscriptions are sent as event streams.
    if (this.#events && (!this.#type || operation.operation === 'subscription')) {
      this.#streamEvents(executable, this.#events);
      return;
    }
    const answered = (result: OperationResult) => this.#attempt(() => this.#answer(result, executable));
    const parts = plans.incremental && this.#partsReceiver();
    this.#options.operations.execute(executable, this.#format(true), answered, parts);
  }

  #streamEvents(prepared: PreparedRequest, type: EventStreamType): void {
    setOwnHeaders(this.#exchange);
    this.#options.streamEvents(this.#exchange, prepared, type).catch((thrown) => this.#refuse(thrown));
  }

  /** Returns undefined if `Accept` does not allow incremental delivery. */
  #partsReceiver(): PartsReceiver | undefined {
    const formats = acceptedParts(this.#exchange.request.headers.accept);
    if (!formats) return undefined;
    let response: MultipartResponse | undefined;
    return {
      formats,
      begun: (http, parameters, flow) =>
        this.#attempt(() => {
          response = new MultipartResponse(this.#exchange, responseHeaders(http), parameters, flow);
        }),
      part: (json) => response?.part(json),
      ended: () => response?.end(),
    };
  }

  #answer(result: OperationResult, { mayCompress, plans }: ExecutableRequest): void {
    if (this.#files?.failure) throw this.#files.failure;
    const headers = responseHeaders(result.http);
    const body = responseBody(result);
    if (this.#type && mayCompress && result.http.cookies.length === 0)
      sendCompressible(this.#exchange, 200, body, headers, CONTENT_TYPES[this.#type], plans.plan.kind === 'local');
    else if (this.#type) this.#send(200, body, headers);
    else this.#sendAsPart(body, headers);
  }

  /** Sends a response to a client that accepts only `multipart/mixed`. */
  #sendAsPart(answer: unknown, headers: ResponseHeaders): void {
    const { body, type } = answerOfOnePart(answer);
    sendJson(this.#exchange, 200, body, headers, type);
  }

  /**
   * Runs a batch. All operations are prepared before any runs, so a batch with a forbidden operation has no effect. Each
   * operation has its own result in the list, so the response has status 200.
   */
  async #answerBatch(requests: readonly OperationRequest[]): Promise<void> {
    if (!this.#type) throw notAcceptable();
    const { operations } = this.#options;
    if (this.#exchange.record) this.#exchange.record.batchSize = requests.length;
    const batch: Batch = { size: requests.length, introspections: 0 };
    const prepared: PreparedRequest[] = [];
    for (const request of requests) prepared.push(await operations.prepare(request, this.#exchange, { batch }));
    const answers: unknown[] = [];
    const holdsSecrets = prepared.some((one) => one.kind === 'executable' && !one.mayCompress);
    for (const one of prepared) {
      if (one.kind === 'rejected') {
        this.#exchange.record?.addErrors(one.errors);
        answers.push(rejectedBody(one));
        continue;
      }
      // A service's response may be invalid JSON, which would corrupt the whole list, so it is parsed first.
      const format = this.#format(one.plans.plan.kind === 'local');
      const result = await new Promise<OperationResult>((resolve) => operations.execute(one, format, resolve));
      answers.push(responseBody(result));
    }
    if (holdsSecrets) this.#send(200, jsonList(answers));
    else sendCompressible(this.#exchange, 200, jsonList(answers), undefined, CONTENT_TYPES[this.#type]);
  }

  #format(asBytes: boolean): ResultFormat {
    return { withEnvelope: this.#options.referenceEnvelope && this.#type === 'application/json', asBytes };
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #refuse(thrown: unknown): void {
    const error = toLoggedError(thrown, this.#exchange);
    if (this.#form === 'flat') sendFlatError(this.#exchange, error);
    else {
      this.#exchange.record?.addError(error.code);
      this.#send(error.status, { errors: [refusedRequest(error)] }, error.headers);
    }
  }

  #send(status: number, body: unknown, headers?: ResponseHeaders): void {
    sendJson(this.#exchange, status, body, headers, CONTENT_TYPES[this.#type ?? 'application/json']);
  }
}

/**
 * Rejects the "single connection mode" of GraphQL over SSE. In this mode, a client reserves a stream with PUT and sends its
 * token in a header, or in the URL of an `EventSource`. All of its requests would have to reach the same process.
 *
 * @throws GatewayError 405 or 400.
 */
function refuseSingleConnection({ request: { method, headers }, search }: HttpExchange): void {
  if (method === 'PUT' || method === 'DELETE') throw methodOfSingleConnection();
  if (headers['x-graphql-event-stream-token'] !== undefined) throw singleConnectionNotSupported();
  if (method !== 'GET' || !search.includes('token=')) return;
  const parameters = new URLSearchParams(search);
  const isOperation = OPERATION_PARAMETERS.some((name) => parameters.has(name));
  if (parameters.has('token') && !isOperation) throw singleConnectionNotSupported();
}

/** The parameters of a GET that identify a document. */
const OPERATION_PARAMETERS = ['query', 'documentId', 'doc_id', 'id', 'extensions'];

const CONTENT_TYPES: Readonly<Record<ResponseType, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};

function responseHeaders({ headers, cookies }: HttpHints): ResponseHeaders {
  return cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies };
}

function rejectedBody({ errors, extensions }: RejectedRequest): unknown {
  return { errors, ...(extensions && { extensions }) };
}

/** Returns the bytes of a result. A result that cannot be serialized fails alone, without failing its batch. */
function responseBody({ bytes, errors, data, beside }: OperationResult): readonly Buffer[] {
  if (bytes) return bytes.chunks;
  try {
    return [writtenJson({ ...(errors && { errors }), data, ...beside })];
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return [writtenJson({ errors: [refusedRequest(thrown)], data: null })];
  }
}

/** Returns the bytes of a JSON list, whose items are values or serialized values. */
function jsonList(values: readonly unknown[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (const value of values) chunks.push(chunks.length === 0 ? LIST_START : LIST_SEPARATOR, ...bodyChunks(value));
  return [...chunks, LIST_END];
}

const LIST_START = Buffer.from('[');
const LIST_SEPARATOR = Buffer.from(',');
const LIST_END = Buffer.from(']');
