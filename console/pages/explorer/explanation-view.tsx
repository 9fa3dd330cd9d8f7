import { DataTable, Notice } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import type { Explanation } from './answer.ts';

const { plan: planTexts } = explorer;

/** How an operation was run: plan, calls of services, cost against the limits. */
export function ExplanationView({ explanation }: { readonly explanation: Explanation | undefined }) {
  if (!explanation) return <Notice kind="info">{explorer.answer.notExplained}</Notice>;
  const { plan, calls = [], cost = {} } = explanation;
  return (
    <div class="explanation">
      {plan && (
        <section>
          <h2 class="minor">
            {planTexts.title} <span class="badge">{plan.kind}</span>{' '}
            <span class="dim small">{plan.cached ? planTexts.cached : planTexts.fresh}</span>
          </h2>
          {plan.steps && (
            <DataTable
              label={planTexts.title}
              columns={[planTexts.wave, planTexts.source, planTexts.fields]}
              rows={plan.steps.map(({ wave, source, fields, path }) => [
                wave,
                source,
                fields?.join(', ') ?? path ?? '',
              ])}
            />
          )}
        </section>
      )}
      {calls.length > 0 && (
        <section>
          <h2 class="minor">{planTexts.calls}</h2>
          <DataTable
            label={planTexts.calls}
            columns={[
              planTexts.source,
              planTexts.start,
              planTexts.wait,
              planTexts.duration,
              planTexts.outcome,
              planTexts.bytes,
            ]}
            rows={calls.map((call) => [
              call.source,
              planTexts.ms(call.startMs),
              planTexts.ms(call.waitMs),
              call.durationMs === undefined ? '' : planTexts.ms(call.durationMs),
              call.outcome ?? '',
              call.bytes ?? '',
            ])}
          />
        </section>
      )}
      <section>
        <h2 class="minor">{planTexts.cost}</h2>
        <DataTable
          label={planTexts.cost}
          columns={[planTexts.measure, planTexts.value, planTexts.limit]}
          rows={Object.entries(cost).map(([name, { value, limit }]) => [name, value, limit ?? '–'])}
        />
      </section>
    </div>
  );
}
