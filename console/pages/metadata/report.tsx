import { type ComponentChildren, Fragment } from 'preact';
import { type Bounded, callMetadataApi, type MetadataReport } from '../../api/index.ts';
import { LoadFailure, Notice, ProblemList, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { metadata, shell } from '../../texts/index.ts';

const reportTexts = metadata.report;

/** The report of `portico check` on the active metadata. */
export function ReportView() {
  const { value, error, isLoading, reload } = useLoaded(
    (signal) => authorized((headers) => callMetadataApi<MetadataReport>('portico_get_report', {}, { headers, signal })),
    [role.value],
  );
  if (error !== undefined) return <LoadFailure error={error} reload={reload} />;
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  const { valid, problems, reload_problems: reloading, warnings, ignored, hints, roles, operations } = value;
  return (
    <div aria-busy={isLoading}>
      <Notice kind={valid ? 'good' : 'bad'}>{valid ? reportTexts.valid : reportTexts.invalid}</Notice>
      <ReportSection title={reportTexts.reloadProblems} of={reloading}>
        <ProblemList items={reloading.items} />
      </ReportSection>
      <ReportSection title={reportTexts.problems} of={problems}>
        <ProblemList items={problems.items} />
      </ReportSection>
      <ReportSection title={reportTexts.warnings} of={warnings}>
        <ProblemList items={warnings.items} />
      </ReportSection>
      <ReportSection title={reportTexts.ignored} of={ignored}>
        <ProblemList items={ignored.items.map(({ what, ...place }) => ({ ...place, message: what }))} />
      </ReportSection>
      <ReportSection title={reportTexts.hints} of={hints}>
        <ProblemList items={hints.items.map(({ source, message }) => ({ file: source, message }))} />
      </ReportSection>
      <ReportSection title={reportTexts.roles} of={roles}>
        <NamedLists items={roles.items.map(({ role: name, fields }) => [name, fields])} />
      </ReportSection>
      <ReportSection title={reportTexts.operations} of={operations}>
        <NamedLists items={operations.items.map(({ operation, roles: allowed }) => [operation, allowed])} />
      </ReportSection>
    </div>
  );
}

/** A part of the report, where there is anything to say. */
function ReportSection({
  title,
  of,
  children,
}: {
  readonly title: string;
  readonly of: Bounded<unknown>;
  readonly children: ComponentChildren;
}) {
  if (of.items.length === 0) return null;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
      {of.omitted > 0 && <p class="dim">{metadata.omitted(of.omitted)}</p>}
    </section>
  );
}

function NamedLists({ items }: { readonly items: readonly (readonly [string, Bounded<string>])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, { items: values, omitted }]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            {values.join(', ') || reportTexts.noRole}
            {omitted > 0 && `, ${metadata.omitted(omitted)}`}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
