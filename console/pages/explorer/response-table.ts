/** Objects of a result, as rows and columns. */
export interface ResponseTable {
  /** Names of fields. Fields of an object within the row have its name before theirs: `customer.name`. */
  readonly columns: readonly string[];
  /** A text for each column; undefined where the row has no such field. */
  readonly rows: readonly (readonly (string | undefined)[])[];
}

/** A list in a result that can be shown as a table. Its rows are read when they are shown. */
export interface TabularList {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** Lists that are offered, and levels of objects that are searched for them. */
const MAX_LISTS = 20;
const MAX_LEVELS = 6;
/** Levels of objects within a row that have columns of their own. */
const MAX_NESTED = 2;
const MAX_COLUMNS = 40;
const MAX_CELL = 200;

/** The lists of objects in a result, each with its path, such as `orders` or `tenant.users`. */
export function listsIn(data: unknown): readonly TabularList[] {
  const lists: TabularList[] = [];
  let level: readonly { readonly name: string; readonly value: unknown }[] = [{ name: '', value: data }];
  for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth++) {
    for (const { name, value } of level)
      if (isListOfObjects(value) && lists.length < MAX_LISTS) lists.push({ name, items: value });
    level = level.flatMap(({ name, value }) =>
      isObject(value)
        ? Object.entries(value).map(([field, child]) => ({
            name: name === '' ? field : `${name}.${field}`,
            value: child,
          }))
        : [],
    );
  }
  return lists;
}

/** The rows of a list. */
export function tableOf(items: readonly unknown[]): ResponseTable {
  const cells = items.map((row) => cellsOf(row, MAX_NESTED));
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))].slice(0, MAX_COLUMNS);
  return { columns, rows: cells.map((row) => columns.map((column) => row.get(column))) };
}

/** The values of a result without lists of objects, each with its path. */
export function valuesOf(data: unknown): ResponseTable {
  return { columns: [], rows: [...cellsOf(data, MAX_LEVELS)] };
}

/** The texts of an object's fields by their names. */
function cellsOf(row: unknown, levels: number, before = '', into = new Map<string, string>()): Map<string, string> {
  if (!isObject(row)) return into;
  for (const [field, value] of Object.entries(row)) {
    const name = before + field;
    if (isObject(value) && levels > 0) cellsOf(value, levels - 1, `${name}.`, into);
    else into.set(name, cellText(value));
  }
  return into;
}

function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

function isListOfObjects(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isObject);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
