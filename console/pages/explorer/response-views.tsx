import { useMemo, useState } from 'preact/hooks';
import { Button, DataTable, ScrollRegion } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import { listsIn, tableOf, valuesOf } from './response-table.ts';

const { answer: texts } = explorer;

/** Rows of a table, and members of an object or list, that are shown at once. */
const PAGE = 100;
/** Levels of the tree that are open at first. */
const OPEN_LEVELS = 3;
const MAX_VALUE = 2_000;

/** The result as rows and columns. */
export function TableView({ data }: { readonly data: unknown }) {
  const lists = useMemo(() => listsIn(data), [data]);
  const [chosen, choose] = useState(0);
  const [shown, setShown] = useState(PAGE);
  const list = lists[chosen] ?? lists[0];
  const { columns, rows } = useMemo(
    () => (list ? tableOf(list.items.slice(0, shown)) : valuesOf(data)),
    [list, shown, data],
  );
  if (rows.length === 0) return <p class="dim">{texts.noTable}</p>;
  const left = list ? list.items.length - rows.length : 0;
  return (
    <>
      {lists.length > 1 && (
        <select
          aria-label={texts.list}
          value={chosen}
          onChange={(event) => {
            choose(Number(event.currentTarget.value));
            setShown(PAGE);
          }}
        >
          {lists.map(({ name }, at) => (
            <option key={name} value={at}>
              {name}
            </option>
          ))}
        </select>
      )}
      <DataTable label={texts.tableOf(list?.name ?? 'data')} columns={columns} rows={rows} class="response-table">
        {left > 0 && <Button onClick={() => setShown(shown + PAGE)}>{texts.more(left)}</Button>}
      </DataTable>
    </>
  );
}

/** The result as objects and lists that open and close. */
export function TreeView({ data }: { readonly data: unknown }) {
  return (
    <ScrollRegion label={texts.tree} class="tree">
      <ul>
        <TreeNode name="data" value={data} level={0} />
      </ul>
    </ScrollRegion>
  );
}

interface TreeNodeProps {
  readonly name: string;
  readonly value: unknown;
  readonly level: number;
}

/** Members are rendered when their object is opened: a result may have a hundred thousand of them. */
function TreeNode({ name, value, level }: TreeNodeProps) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const [shown, setShown] = useState(PAGE);
  if (typeof value !== 'object' || value === null)
    return (
      <li>
        <span class="code-name">{name}</span>: <span class={`tree-${typeof value}`}>{leafText(value)}</span>
      </li>
    );
  const members = isOpen ? Object.entries(value) : [];
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="code-name">{name}</span> <span class="dim">{sizeOf(value)}</span>
        </summary>
        {isOpen && (
          <ul>
            {members.slice(0, shown).map(([member, one]) => (
              <TreeNode key={member} name={member} value={one} level={level + 1} />
            ))}
            {members.length > shown && (
              <li>
                <Button kind="quiet" onClick={() => setShown(shown + PAGE)}>
                  {texts.more(members.length - shown)}
                </Button>
              </li>
            )}
          </ul>
        )}
      </details>
    </li>
  );
}

/** `[3]` for a list of three items, `{3}` for an object of three fields. */
function sizeOf(value: object): string {
  return Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`;
}

function leafText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
