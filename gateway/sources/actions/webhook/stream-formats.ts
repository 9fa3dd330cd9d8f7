import { StringDecoder } from 'node:string_decoder';
import { EventStreamReader, JsonLinesReader, type StreamReader } from '../../../upstream/index.ts';

/** The media types of streams, in the order in which the gateway prefers them. */
export const ACCEPTED_STREAMS = 'text/event-stream, application/x-ndjson, application/jsonl';
const EVENT_STREAM = /^text\/event-stream\s*(;|$)/i;
const JSON_LINES = /^application\/(?:x-ndjson|jsonl)\s*(;|$)/i;

/** Receives what a handler sends. */
export interface HandlerStreamSink {
  /** @param lastEventId empty if the stream has no ids. */
  event(text: string, length: number, lastEventId: string): void;
  /** The handler ends the stream with an error. @param text its JSON. */
  failed(text: string): void;
  complete(): void;
  /** The stream ended within an event, or with its connection. */
  cut(reason: string): void;
  tooLarge(): void;
  /** Called after each chunk with the size of the unfinished event in bytes. */
  pending(bytes: number): void;
  /** The handler requests a pause before the next call, in milliseconds. */
  retry(pauseMs: number): void;
}

/**
 * Creates the reader of a handler's stream.
 *
 * @param maxBytes the maximum size of an event.
 * @returns undefined if the media type is not one of a stream.
 */
export function handlerStreamReader(type: string, maxBytes: number, sink: HandlerStreamSink): StreamReader | undefined {
  if (EVENT_STREAM.test(type)) return eventStreamReader(maxBytes, sink);
  return JSON_LINES.test(type) ? jsonLinesReader(maxBytes, sink) : undefined;
}

function eventStreamReader(maxBytes: number, sink: HandlerStreamSink): StreamReader {
  const decoder = new StringDecoder('utf8');
  const reader = new EventStreamReader(({ event, data, lastEventId }) => {
    if (event === 'complete') sink.complete();
    else if (event === 'error') sink.failed(data);
    else if (event === 'message' || event === 'next') sink.event(data, data.length, lastEventId);
  }, maxBytes);
  return {
    read: (chunk) => {
      const fits = reader.read(decoder.write(chunk));
      if (reader.retryMs !== undefined) sink.retry(reader.retryMs);
      if (fits) sink.pending(reader.pendingLength);
      else sink.tooLarge();
    },
    end: (isComplete) => {
      if (isComplete && reader.pendingLength === 0) sink.complete();
      else sink.cut('the stream ended within an event or with its connection');
    },
  };
}

function jsonLinesReader(maxBytes: number, sink: HandlerStreamSink): StreamReader {
  const reader = new JsonLinesReader(maxBytes, (text, bytes) => sink.event(text, bytes, ''));
  return {
    read: (chunk) => {
      if (reader.read(chunk)) sink.pending(reader.pendingLength);
      else sink.tooLarge();
    },
    end: (isComplete) => {
      if (!isComplete) sink.cut('the stream ended with its connection');
      else if (reader.end()) sink.complete();
      else sink.tooLarge();
    },
  };
}
