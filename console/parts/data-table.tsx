import type { ComponentChildren } from 'preact';
import { ScrollRegion } from './scroll-region.tsx';

interface DataTableProps {
  readonly label: string;
  /** Empty for a table without a head. */
  readonly columns: readonly string[];
  /** A value without a text is shown as a dash. */
  readonly rows: readonly (readonly (string | number | undefined)[])[];
  readonly class?: string;
  /** What follows the table. */
  readonly children?: ComponentChildren;
}

/** A table of texts that scrolls within its own region. */
export function DataTable({ label, columns, rows, class: name, children }: DataTableProps) {
  return (
    <ScrollRegion label={label} {...(name !== undefined && { class: name })}>
      <table>
        {columns.length > 0 && (
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={at}>{cell ?? <span class="dim">–</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </ScrollRegion>
  );
}
