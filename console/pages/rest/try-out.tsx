import { useState } from 'preact/hooks';
import { fetchFromGateway, gatewayUrl, jsonOrUndefined, RejectedRequest, requireNotRejected } from '../../api/index.ts';
import { Button, CopyButton, ErrorNotice, Field, PreformattedText } from '../../parts/index.ts';
import { authorized, kindOfSession, role } from '../../session/index.ts';
import { rest } from '../../texts/index.ts';
import { curlOf, type Endpoint, type RestRequest, restRequestOf } from './openapi.ts';

interface RestAnswer {
  readonly status: number;
  readonly durationMs: number;
  readonly type: string;
  readonly requestId: string | null;
  readonly text: string;
}

const MAX_SHOWN = 200_000;

/** One endpoint: what it takes, and its answer. */
export function TryOut({ endpoint }: { readonly endpoint: Endpoint }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(endpoint.body ?? '');
  const sent = () => restRequestOf(endpoint, values, body);
  return (
    <Sender request={sent}>
      {endpoint.description !== '' && <p>{endpoint.description}</p>}
      {endpoint.parameters.map(({ name, required }) => (
        <Field
          key={name}
          label={required ? `${name} (${rest.required})` : name}
          value={values[name] ?? ''}
          onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          required={required ?? false}
        />
      ))}
      {endpoint.body !== undefined && <BodyField value={body} onChange={setBody} />}
      {endpoint.query !== undefined && (
        <details>
          <summary>GraphQL</summary>
          <pre>
            <code>{endpoint.query}</code>
          </pre>
        </details>
      )}
    </Sender>
  );
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A request to any path of the gateway. */
export function AnyAddress() {
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('/api/');
  const [body, setBody] = useState('');
  const hasBody = method !== 'GET';
  const sent = () => ({
    method,
    path: path.startsWith('/') ? path : `/${path}`,
    body: hasBody && body !== '' ? body : undefined,
  });
  return (
    <Sender request={sent}>
      <p class="dim">{rest.any.text}</p>
      <div class="inline-field">
        <select aria-label={rest.any.method} value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
          {METHODS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          class="grow"
          aria-label={rest.any.path}
          value={path}
          spellcheck={false}
          onInput={(event) => setPath(event.currentTarget.value)}
        />
      </div>
      {hasBody && <BodyField value={body} onChange={setBody} />}
    </Sender>
  );
}

function BodyField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <label class="field">
      {rest.body}
      <textarea rows={6} spellcheck={false} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

interface SenderProps {
  readonly request: () => RestRequest;
  readonly children: preact.ComponentChildren;
}

/** Sends a request as the caller, and shows the answer. */
function Sender({ request: described, children }: SenderProps) {
  const [answer, setAnswer] = useState<RestAnswer | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  async function send(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      setAnswer(await authorized((headers) => answerTo(described(), headers)));
    } catch (thrown) {
      const isRejected = thrown instanceof RejectedRequest;
      setAnswer(isRejected ? (thrown.answer as RestAnswer) : undefined);
      setError(isRejected ? undefined : thrown);
    }
    setBusy(false);
  }
  const curl = () => curlOf(described(), gatewayUrl('.').origin, role.value, kindOfSession.value === 'admin-secret');
  return (
    <form onSubmit={(event) => void send(event)}>
      {children}
      <div class="row">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {rest.send}
        </Button>
        <CopyButton label={rest.copyCurl} text={curl} />
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      <section class="rest-answer" aria-label={rest.answer} aria-live="polite">
        {answer ? <AnswerText answer={answer} /> : <p class="dim">{rest.noAnswer}</p>}
      </section>
    </form>
  );
}

function AnswerText({ answer: { status, durationMs, type, requestId, text } }: { readonly answer: RestAnswer }) {
  return (
    <>
      <p>
        <span class={status < 400 ? 'badge good' : 'badge bad'}>{status}</span> {Math.round(durationMs)} ms{' '}
        <span class="dim small">
          {type} {requestId}
        </span>
      </p>
      <PreformattedText>
        <code>{text.slice(0, MAX_SHOWN)}</code>
      </PreformattedText>
      {text.length > MAX_SHOWN && (
        <p>
          {rest.cut(MAX_SHOWN, text.length)} <CopyButton label={rest.copyAnswer} text={() => text} />
        </p>
      )}
    </>
  );
}

/** @throws RejectedRequest with the answer; ApiError. */
async function answerTo(sent: RestRequest, headers: Readonly<Record<string, string>>): Promise<RestAnswer> {
  const startedAt = performance.now();
  const response = await fetchFromGateway(sent.path.replace(/^\/+/, ''), {
    method: sent.method,
    headers: { ...headers, ...(sent.body !== undefined && { 'content-type': 'application/json' }) },
    body: sent.body ?? null,
  });
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const value = type.includes('json') ? jsonOrUndefined(text) : undefined;
  const answer = {
    status: response.status,
    durationMs: performance.now() - startedAt,
    type,
    requestId: response.headers.get('x-request-id'),
    text: value === undefined ? text : JSON.stringify(value, undefined, 2),
  };
  requireNotRejected(response, value, answer);
  return answer;
}
