import { useMemo, useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { CopyButton, Notice, Tabs } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { type Answer, answerTraceId, explanationIn, requestIdIn, withShortLines } from './answer.ts';
import { ExplanationView } from './explanation-view.tsx';

const { answer: answerTexts } = explorer;

const ANSWER_VIEWS = Object.entries(answerTexts.views).map(([id, label]) => ({ id, label }));

/** The answer to the last run of a tab, with what its headers and its explanation say of it. */
export function AnswerPanel({
  answer,
  isRunning,
}: {
  readonly answer: Answer | undefined;
  readonly isRunning: boolean;
}) {
  const [view, setView] = useState('data');
  return (
    <section class="answer" aria-label={answerTexts.label} aria-busy={isRunning}>
      <Summary answer={answer} isRunning={isRunning} />
      <Tabs label={answerTexts.label} tabs={ANSWER_VIEWS} chosen={view} onChoose={setView}>
        {view === 'data' && <AnswerResult answer={answer} />}
        {view === 'explanation' && <ExplanationView explanation={answer && explanationIn(answer)} />}
        {view === 'headers' && <HeaderList answer={answer} />}
      </Tabs>
    </section>
  );
}

/** What stands beside the answer; its height is the same with and without one. */
function Summary({ answer, isRunning }: { readonly answer: Answer | undefined; readonly isRunning: boolean }) {
  if (!answer) return <p class="summary dim">{isRunning ? answerTexts.running : answerTexts.empty}</p>;
  const { status, durationMs, bytes, payloads, problem } = answer;
  if (problem !== undefined && status === undefined && payloads === 0)
    return <p class="summary dim">{answerTexts.none}</p>;
  const traceId = answerTraceId(answer);
  const requestId = requestIdIn(answer);
  return (
    <p class="summary">
      <span role="status">
        {status !== undefined && <span class={status < 400 ? 'badge good' : 'badge bad'}>{status}</span>}{' '}
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

function AnswerResult({ answer }: { readonly answer: Answer | undefined }) {
  const result = answer?.result;
  const text = useMemo(() => (result === undefined ? '' : JSON.stringify(result, undefined, 2)), [result]);
  const shown = useMemo(() => withShortLines(text), [text]);
  return (
    <>
      {answer?.problem !== undefined && <Notice kind="bad">{answer.problem}</Notice>}
      {shown !== text && <p class="dim small">{answerTexts.shortened}</p>}
      <div class="editor-frame answer-text">
        <CodeEditor label={answerTexts.label} language="json" value={shown} />
      </div>
      <CopyButton text={() => text} />
    </>
  );
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
