import { useMemo, useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { CopyButton, Notice, Tabs } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import {
  type Answer,
  answerTraceId,
  errorsIn,
  explanationIn,
  outcomeOf,
  type Position,
  requestIdIn,
  withShortLines,
} from './answer.ts';
import { ErrorCards } from './error-cards.tsx';
import { ExplanationView } from './explanation-view.tsx';
import { TableView, TreeView } from './response-views.tsx';

const { answer: answerTexts } = explorer;

const ANSWER_VIEWS = Object.entries(answerTexts.views).map(([id, label]) => ({ id, label }));
/** Views that show the result. */
const RESULT_VIEWS: ReadonlySet<string> = new Set(['json', 'tree', 'table']);

interface AnswerPanelProps {
  readonly answer: Answer | undefined;
  readonly isRunning: boolean;
  /** Shows a place in the operation. */
  readonly onGoTo: (place: Position) => void;
}

/** The answer to the last run of a tab, with what its headers and its explanation say of it. */
export function AnswerPanel({ answer, isRunning, onGoTo }: AnswerPanelProps) {
  const [view, setView] = useState('json');
  const result = answer?.result;
  const errors = useMemo(() => errorsIn(result), [result]);
  return (
    <section class="card answer" aria-label={answerTexts.label} aria-busy={isRunning}>
      <Summary answer={answer} isRunning={isRunning} errors={errors.length} />
      <Tabs label={answerTexts.label} tabs={ANSWER_VIEWS} chosen={view} onChoose={setView}>
        {RESULT_VIEWS.has(view) && (
          <>
            {answer?.problem !== undefined && <Notice kind="bad">{answer.problem}</Notice>}
            <ErrorCards errors={errors} onGoTo={onGoTo} />
          </>
        )}
        {view === 'json' && <JsonView result={result} />}
        {view === 'tree' && (result === undefined ? <NoResult /> : <TreeView data={dataIn(result)} />)}
        {view === 'table' && (result === undefined ? <NoResult /> : <TableView data={dataIn(result)} />)}
        {view === 'explanation' && <ExplanationView explanation={answer && explanationIn(answer)} />}
        {view === 'headers' && <HeaderList answer={answer} />}
      </Tabs>
      {/* Shown above. Chromium loses the way out of a shadow tree that is the last element of a panel. */}
      <CopyButton text={() => jsonText(result)} />
    </section>
  );
}

function dataIn(result: unknown): unknown {
  return (Object(result) as { readonly data?: unknown }).data ?? null;
}

function NoResult() {
  return <p class="dim">{answerTexts.empty}</p>;
}

interface SummaryProps extends Pick<AnswerPanelProps, 'answer' | 'isRunning'> {
  /** How many errors the result has. */
  readonly errors: number;
}

/** What stands above the answer; its height is the same with and without one. */
function Summary({ answer, isRunning, errors }: SummaryProps) {
  if (!answer) return <p class="summary dim">{isRunning ? answerTexts.running : answerTexts.empty}</p>;
  const { status, durationMs, bytes, payloads, problem } = answer;
  if (problem !== undefined && status === undefined && payloads === 0)
    return <p class="summary dim">{answerTexts.none}</p>;
  const traceId = answerTraceId(answer);
  const requestId = requestIdIn(answer);
  const outcome = outcomeOf(answer);
  return (
    <p class="summary">
      <span role="status">
        {status !== undefined && <span class={`badge ${outcome}`}>{status}</span>}{' '}
        {errors > 0 && <span class={`badge ${outcome}`}>{answerTexts.errorCount(errors)}</span>}{' '}
        {Math.round(durationMs)} ms <span class="dim">{sizeText(bytes)}</span>{' '}
        {payloads > 1 && <span class="badge">{answerTexts.events(payloads)}</span>}{' '}
        {status === undefined && <span class="badge">{answer.isDone ? answerTexts.ended : answerTexts.live}</span>}
      </span>
      {requestId !== undefined && (
        <span class="dim small id" title={requestId}>
          {answerTexts.request} <code>{requestId}</code>
        </span>
      )}
      {traceId !== undefined && (
        <span class="dim small id" title={traceId}>
          {answerTexts.trace} <code>{traceId}</code>
        </span>
      )}
    </p>
  );
}

function JsonView({ result }: { readonly result: unknown }) {
  const text = useMemo(() => jsonText(result), [result]);
  const shown = useMemo(() => withShortLines(text), [text]);
  return (
    <>
      {shown !== text && <p class="dim small">{answerTexts.shortened}</p>}
      <div class="editor-frame answer-text">
        <CodeEditor label={answerTexts.label} language="json" value={shown} />
      </div>
    </>
  );
}

function jsonText(result: unknown): string {
  return result === undefined ? '' : JSON.stringify(result, undefined, 2);
}

function HeaderList({ answer }: { readonly answer: Answer | undefined }) {
  return (
    <dl class="facts headers">
      {answer?.headers.map(([name, value]) => (
        <div key={name} class="pair">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function sizeText(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`;
}
