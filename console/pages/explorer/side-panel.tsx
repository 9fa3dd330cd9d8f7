import type { GraphQLSchema } from 'graphql';
import { type Loaded, LoadFailure, Tabs } from '../../parts/index.ts';
import { explorer, shell } from '../../texts/index.ts';
import { Documentation } from './documentation.tsx';
import { RunHistory, SavedOperations } from './saved-operations.tsx';

const SIDES = [
  { id: 'docs', label: explorer.side.docs },
  { id: 'saved', label: explorer.side.saved },
  { id: 'history', label: explorer.side.history },
];

interface SidePanelProps {
  readonly schema: Loaded<GraphQLSchema>;
  /** The id of the tab that is shown. */
  readonly side: string;
  readonly onSide: (side: string) => void;
  /** The types that the documentation has been followed to, the current one last. */
  readonly way: readonly string[];
  readonly onGo: (way: readonly string[]) => void;
}

/** Beside the operation: the documentation of the schema, saved operations, and earlier runs. */
export function SidePanel({ schema, side, onSide, way, onGo }: SidePanelProps) {
  return (
    <aside class="card side" aria-label={explorer.side.label}>
      <Tabs label={explorer.side.label} tabs={SIDES} chosen={side} onChoose={onSide}>
        {side === 'docs' &&
          (schema.error !== undefined ? (
            <>
              <p>{explorer.docs.unavailable}</p>
              <LoadFailure error={schema.error} reload={schema.reload} />
            </>
          ) : schema.value ? (
            <Documentation schema={schema.value} way={way} onGo={onGo} />
          ) : (
            <p class="dim">{shell.loading}</p>
          ))}
        {side === 'saved' && <SavedOperations />}
        {side === 'history' && <RunHistory />}
      </Tabs>
    </aside>
  );
}
