import type { ComponentChildren } from 'preact';

interface PageHeaderProps {
  readonly title: string;
  readonly lead?: string;
  /** Buttons of the whole page. */
  readonly children?: ComponentChildren;
}

/** The heading of a page, which takes the focus when the page is opened. */
export function PageHeader({ title, lead, children }: PageHeaderProps) {
  return (
    <header class="page-header">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="dim">{lead}</p>}
      </div>
      {children && <div class="row">{children}</div>}
    </header>
  );
}
