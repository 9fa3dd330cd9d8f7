import { parentPort, workerData } from 'node:worker_threads';
import type { SchemaLimits } from '../source.ts';
import { type AnsweredQuery, checkAnswer, type SchemaQuery } from './schema-answer.ts';

const { response, query, limits } = workerData as {
  readonly response: AnsweredQuery;
  readonly query: SchemaQuery;
  readonly limits: SchemaLimits;
};
parentPort?.postMessage(checkAnswer(response, query, limits));
