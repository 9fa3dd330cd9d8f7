import { computed, effect, signal } from '@preact/signals';
import { type DocumentNode, type OperationDefinitionNode, parse } from 'graphql';
import { ownsStorage, USER_STORAGE, whenLoggedOut } from '../../session/index.ts';
import { explorer } from '../../texts/index.ts';
import type { Answer } from './answer.ts';
import type { ExampleOperation } from './example-operation.ts';
import type { ExplorerRun } from './run-operation.ts';
import { readWindowTabs, storeWindowTabs } from './window-tabs.ts';

/** A tab of the explorer. */
export interface OperationTab {
  readonly id: string;
  readonly query: string;
  /** JSON texts, as they are typed. In memory only: they may hold passwords and tokens. */
  readonly variables: string;
  readonly headers: string;
  /** In memory only. */
  readonly files: ExplorerRun['files'];
  /** Which operation of the document is run, where it has several. */
  readonly operationName: string | undefined;
  /** Whether the user has neither changed nor run it: it is empty or an example, which the next one replaces. */
  readonly isUntouched: boolean;
}

const TABS_KEY = `${USER_STORAGE}tabs`;
const HISTORY_KEY = `${USER_STORAGE}history`;
const MAX_HISTORY = 50;

let made = 0;

export const tabs = signal<readonly OperationTab[]>(storedTabs());
/** The answers to the last runs of tabs, by their ids. In memory only. */
export const answers = signal<ReadonlyMap<string, Answer>>(new Map());
export const currentId = signal(tabs.value[0]?.id ?? '');
export const current = computed(
  () => tabs.value.find(({ id }) => id === currentId.value) ?? tabs.value[0] ?? newTab(''),
);
/** Documents that were run, the last one first. */
export const history = signal<readonly string[]>(readStoredList(HISTORY_KEY));

effect(() => {
  // Examples are made anew, since they are of a role.
  const queries = tabs.value.map(({ query, isUntouched }) => (isUntouched ? '' : query));
  store(TABS_KEY, queries);
  storeWindowTabs(queries);
});
effect(() => store(HISTORY_KEY, history.value));

// Another window has run something.
window.addEventListener('storage', ({ key }) => {
  if (key === HISTORY_KEY && ownsStorage()) history.value = readStoredList(HISTORY_KEY);
});

whenLoggedOut(() => {
  tabs.value = [untouchedTab()];
  currentId.value = tabs.value[0]?.id ?? '';
  history.value = [];
  answers.value = new Map();
});

function storedTabs(): readonly OperationTab[] {
  const stored = (readWindowTabs() ?? readStoredList(TABS_KEY)).map(newTab);
  return stored.length > 1 || (stored[0]?.query ?? '').trim() !== '' ? stored : [untouchedTab()];
}

function untouchedTab(): OperationTab {
  return { ...newTab(''), isUntouched: true };
}

/** Puts an example into the first tab, unless the user has written or opened something. */
export function offerExample({ query, variables }: ExampleOperation): void {
  tabs.value = tabs.value.map((tab) => (tab.isUntouched ? { ...tab, query, variables } : tab));
}

function newTab(query: string): OperationTab {
  // No `crypto.randomUUID`: browsers offer it to secure origins only.
  made++;
  return {
    id: `tab-${made}`,
    query,
    variables: '',
    headers: '',
    files: [],
    operationName: undefined,
    isUntouched: false,
  };
}

/** Opens a document in a tab of its own, or in the current one where that is empty. */
export function openTab(query: string, variables = ''): void {
  const { query: open, isUntouched } = current.value;
  if ((open.trim() === '' || isUntouched) && query !== '') {
    changeTab({ query, operationName: undefined, ...((variables !== '' || isUntouched) && { variables }) });
    return;
  }
  const tab = { ...newTab(query), variables };
  tabs.value = [...tabs.value, tab];
  currentId.value = tab.id;
}

export function changeTab(change: Partial<OperationTab>): void {
  const { id } = current.value;
  tabs.value = tabs.value.map((tab) => (tab.id === id ? { ...tab, ...change, isUntouched: false } : tab));
}

export function closeTab(id: string): void {
  const at = tabs.value.findIndex((tab) => tab.id === id);
  const left = tabs.value.filter((tab) => tab.id !== id);
  tabs.value = left.length > 0 ? left : [newTab('')];
  answers.value = new Map([...answers.value].filter(([tab]) => tab !== id));
  if (currentId.value === id) currentId.value = (tabs.value[at] ?? tabs.value[at - 1] ?? tabs.value[0])?.id ?? '';
}

export function keepAnswer(id: string, answer: Answer): void {
  answers.value = new Map(answers.value).set(id, answer);
}

export function addToHistory(query: string): void {
  history.value = [query, ...history.value.filter((known) => known !== query)].slice(0, MAX_HISTORY);
}

/** The operations of a document; none while it cannot be parsed. */
export function operationsIn(query: string): readonly OperationDefinitionNode[] {
  let document: DocumentNode;
  try {
    document = parse(query, { noLocation: true });
  } catch {
    return [];
  }
  return document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
}

/** The operation of a document that was picked; the first where it has none of that name. */
export function operationToRun({ query, operationName }: OperationTab): OperationDefinitionNode | undefined {
  const operations = operationsIn(query);
  return operations.find(({ name }) => name?.value === operationName) ?? operations[0];
}

/** What a document is called in lists: the name of its first operation, or its first field. */
export function titleOf(query: string): string {
  const [first] = operationsIn(query);
  if (first?.name) return first.name.value;
  const [selection] = first?.selectionSet.selections ?? [];
  return selection?.kind === 'Field' ? selection.name.value : explorer.tabs.untitled;
}

function readStoredList(key: string): readonly string[] {
  if (!ownsStorage()) return [];
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((item) => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

function store(key: string, list: readonly string[]): void {
  if (!ownsStorage()) return;
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // Storage is switched off or full: what is open is kept for this page only.
  }
}
