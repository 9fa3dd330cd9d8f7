import { useState } from 'preact/hooks';
import { CodeEditor } from '../../editor/index.ts';
import { CopyButton, Notice, Tabs } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { type Answer, explanationIn, requestIdIn, traceIdIn } from './answer.ts';
import { ExplanationView } from './explanation-view.tsx';

const { answer: texts } = explorer;

const VIEWS = Object.entries(texts.views).map(([id, label]) => ({ id, label }));

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
    <section class="answer" aria-label={texts.label} aria-busy={isRunning}>
      <Summary answer={answer} isRunning={isRunning} />
      <Tabs label={texts.label} tabs={VIEWS} chosen={view} onChoose={setView}>
        {view === 'data' && <Result answer={answer} />}
        {view === 'explanation' && <ExplanationView explanation={answer && explanationIn(answer)} />}
        {view === 'headers' && <HeaderList answer={answer} />}
      </Tabs>
    </section>
  );
}

/** What stands beside the answer; its height is the same with and without one. */
function Summary({ answer, isRunning }: { readonly answer: Answer | undefined; readonly isRunning: boolean }) {
  if (!answer) return <p class="summary dim">{isRunning ? texts.running : texts.empty}</p>;
  const { status, durationMs, bytes, payloads } = answer;
  const traceId = traceIdIn(answer);
  const requestId = requestIdIn(answer);
  return (
    <p class="summary">
      <span role="status">
        {status !== undefined && <span class={status < 400 ? 'badge good' : 'badge bad'}>{status}</span>}{' '}
        {Math.round(durationMs)} ms <span class="dim">{sizeText(bytes)}</span>{' '}
        {payloads > 1 && <span class="badge">{texts.events(payloads)}</span>}{' '}
        {status === undefined && <span class="badge">{answer.isDone ? texts.ended : texts.live}</span>}
      </span>
      {requestId !== undefined && (
        <span class="dim small id" title={requestId}>
          {texts.request} <code>{requestId}</code>
        </span>
      )}
      {traceId !== undefined && (
        <span class="dim small id" title={traceId}>
          {texts.trace} <code>{traceId}</code>
        </span>
      )}
    </p>
  );
}

function Result({ answer }: { readonly answer: Answer | undefined }) {
  const text = answer?.result === undefined ? '' : JSON.stringify(answer.result, undefined, 2);
  return (
    <>
      {answer?.problem !== undefined && <Notice kind="bad">{answer.problem}</Notice>}
      <div class="editor-frame answer-text">
        <CodeEditor label={texts.label} language="json" value={text} />
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
