import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, RejectedRequest, type RequestHeaders } from '../../api/index.ts';
import { authorization, authorized } from '../../session/index.ts';
import { explorer } from '../../texts/index.ts';
import { type Answer, NO_ANSWER } from './answer.ts';
import { runOnce, type StreamTransport, subscribe } from './run-operation.ts';
import {
  addToHistory,
  answers,
  changeTab,
  keepAnswer,
  type OperationTab,
  operationsIn,
  operationToRun,
} from './tabs-state.ts';

export interface RunOptions {
  readonly transport: StreamTransport;
  readonly isExplained: boolean;
}

/** Events may come faster than a browser can lay out a text: the last one of this time is shown. */
const SHOWN_EVERY_MS = 100;

/** Runs the operation of the tab that is shown, one at a time until another one is, and keeps the answer. */
export function useRun(tabId: string) {
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop(), [tabId]);

  async function run(tab: OperationTab, options: RunOptions) {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setRunning(true);
    let last = NO_ANSWER;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const showLast = () => {
      clearTimeout(timer);
      timer = undefined;
      if (!abort.signal.aborted) keepAnswer(tab.id, last);
    };
    const show = (next: Answer) => {
      last = next;
      if (next.isDone || next.payloads < 2) showLast();
      else timer ??= setTimeout(showLast, SHOWN_EVERY_MS);
    };
    try {
      await runTab(tab, options, abort.signal, show);
    } catch (error) {
      show(
        error instanceof RejectedRequest
          ? (error.answer as Answer)
          : { ...last, isDone: true, problem: problemOf(error) },
      );
    }
    if (running.current === abort) setRunning(false);
  }
  function stop() {
    running.current?.abort();
    setRunning(false);
    const before = answers.peek().get(tabId);
    if (before && !before.isDone) keepAnswer(tabId, { ...before, isDone: true });
  }
  return { answer: answers.value.get(tabId), isRunning, run, stop };
}

async function runTab(
  tab: OperationTab,
  { transport, isExplained }: RunOptions,
  signal: AbortSignal,
  show: (answer: Answer) => void,
): Promise<void> {
  const variables = objectIn(tab.variables, explorer.variables);
  const own = headersIn(tab.headers);
  const operation = operationToRun(tab);
  const operationName = operationsIn(tab.query).length > 1 ? operation?.name?.value : undefined;
  addToHistory(tab.query);
  if (tab.isUntouched) changeTab({});
  const withOwn = (headers: object) => ({ ...headers, ...(isExplained && { 'x-portico-explain': 'true' }), ...own });
  const base = { query: tab.query, operationName, variables, files: tab.files };
  if (operation?.operation === 'subscription') {
    const headers = async () => withOwn(await authorization());
    await subscribe({ ...base, headers: {} }, transport, headers, signal, show);
    return;
  }
  await authorized((headers) => runOnce({ ...base, headers: withOwn(headers) }, signal, show));
}

/** @throws ApiError where the text is no JSON object. */
function objectIn(text: string, what: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  let reason = '';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (thrown) {
    // The browser's, which has the place.
    if (thrown instanceof SyntaxError) reason = thrown.message;
  }
  throw new ApiError('invalid-json', explorer.invalidJson(what, reason), 0);
}

/** @throws ApiError where the text is no JSON object, or has what cannot be a header. */
function headersIn(text: string): RequestHeaders {
  const entries = Object.entries(objectIn(text, explorer.headers));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!isHeader(name, value)) throw new ApiError('invalid-header', explorer.invalidHeader(name), 0);
      return [name, String(value)];
    }),
  );
}

function isHeader(name: string, value: unknown): boolean {
  if (typeof value === 'object') return false;
  try {
    new Headers([[name, String(value)]]);
    return true;
  } catch {
    return false;
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
