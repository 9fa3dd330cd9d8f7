import { type ComponentChildren, Fragment } from 'preact';
import { type Bounded, command, type MetadataReport } from '../../api/index.ts';
import { ErrorNotice, Notice, Problems, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { metadata, shell } from '../../texts/index.ts';

const texts = metadata.report;

/** The report of `portico check` on the active metadata. */
export function Report() {
  const { value, error, isLoading } = useLoaded(
    (signal) => authorized((headers) => command<MetadataReport>('portico_get_report', {}, { headers, signal })),
    [role.value],
  );
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  const { valid, problems, reload_problems: reloading, warnings, ignored, hints, roles, operations } = value;
  return (
    <div aria-busy={isLoading}>
      <Notice kind={valid ? 'good' : 'bad'}>{valid ? texts.valid : texts.invalid}</Notice>
      <Part title={texts.reloadProblems} of={reloading}>
        <Problems items={reloading.items} />
      </Part>
      <Part title={texts.problems} of={problems}>
        <Problems items={problems.items} />
      </Part>
      <Part title={texts.warnings} of={warnings}>
        <Problems items={warnings.items} />
      </Part>
      <Part title={texts.ignored} of={ignored}>
        <Problems items={ignored.items.map(({ what, ...place }) => ({ ...place, message: what }))} />
      </Part>
      <Part title={texts.hints} of={hints}>
        <Problems items={hints.items.map(({ source, message }) => ({ file: source, message }))} />
      </Part>
      <Part title={texts.roles} of={roles}>
        <Named items={roles.items.map(({ role: name, fields }) => [name, fields])} />
      </Part>
      <Part title={texts.operations} of={operations}>
        <Named items={operations.items.map(({ operation, roles: allowed }) => [operation, allowed])} />
      </Part>
    </div>
  );
}

/** A part of the report, where there is anything to say. */
function Part({
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

function Named({ items }: { readonly items: readonly (readonly [string, Bounded<string>])[] }) {
  return (
    <dl class="facts">
      {items.map(([name, { items: values, omitted }]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            {values.join(', ') || texts.noRole}
            {omitted > 0 && `, ${metadata.omitted(omitted)}`}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
