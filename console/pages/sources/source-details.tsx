import type { SourceInsight } from '../../api/index.ts';
import { sources as texts } from '../../texts/index.ts';

/** What does not fit into the row of a source. */
export function SourceDetails({ source }: { readonly source: SourceInsight }) {
  const {
    name,
    reason,
    composed_into: composed,
    outcomes,
    retries,
    shared,
    latency,
    last_schema_change: change,
  } = source;
  return (
    <details class="more">
      <summary>{texts.details(name)}</summary>
      <dl class="facts">
        {reason !== null && (
          <>
            <dt>{texts.reason}</dt>
            <dd>{reason}</dd>
          </>
        )}
        {composed !== null && (
          <>
            <dt>{texts.kinds.subgraph}</dt>
            <dd>{texts.composedInto(composed)}</dd>
          </>
        )}
        <dt>{texts.outcomes}</dt>
        <dd>
          {Object.entries(outcomes)
            .map(([outcome, count]) => `${outcome}: ${count}`)
            .join(', ') || texts.noCalls}
        </dd>
        <dt>{texts.mean}</dt>
        <dd>{latency ? texts.milliseconds(latency.mean_ms) : texts.noCalls}</dd>
        <dt>{texts.retries}</dt>
        <dd>{retries}</dd>
        <dt>{texts.shared}</dt>
        <dd>{shared}</dd>
        <dt>{texts.changed}</dt>
        <dd>
          {change ? (
            <>
              {new Date(change.at).toLocaleString()}: {texts.changes(change.total, change.breaking)}
              <ul class="lines">
                {change.changes.map(({ breaking, message }) => (
                  <li key={message}>
                    {breaking && <span class="badge bad">{texts.breaking}</span>} {message}
                  </li>
                ))}
              </ul>
            </>
          ) : (
            texts.never
          )}
        </dd>
      </dl>
    </details>
  );
}
