import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { graphql as graphqlSupport, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { editorTheme } from './theme.ts';

interface CodeEditorProps {
  /** What screen readers call it. */
  readonly label: string;
  readonly language: 'graphql' | 'json';
  readonly value: string;
  /** Without it the text cannot be changed. */
  readonly onChange?: (value: string) => void;
  /** What documents are checked and completed by; not until it is there. */
  readonly schema?: GraphQLSchema | undefined;
  readonly hint?: string;
  /** Where the cursor is put, each time that it is another object. Lines and columns are counted from 1. */
  readonly place?: { readonly line: number; readonly column: number } | undefined;
  /** Called for Ctrl-Enter or Cmd-Enter. */
  readonly onRun?: () => void;
  /** Called where a name is clicked with Ctrl or Cmd. */
  readonly onShowInDocs?: (field: string | undefined, type: string | undefined, parent: string | undefined) => void;
}

/**
 * An editor of GraphQL or JSON. It lives in a shadow tree, since CodeMirror adopts constructed style sheets there, which the
 * Content-Security-Policy permits, and writes `<style>` elements elsewhere, which it does not.
 *
 * Tab moves on to the next element, as everywhere: the keyboard is not trapped.
 */
export function CodeEditor(props: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const latest = useRef(props);
  // Texts that were reported to `onChange` and have not come back as `value`: those are no changes from outside.
  const reported = useRef<readonly string[]>([]);
  latest.current = props;

  useEffect(() => {
    const host = place.current;
    if (!host) return undefined;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: latest.current.value, extensions: extensionsOf(latest, reported) }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  const { value, schema, language, place: shownPlace } = props;
  // At once: a text that is typed meanwhile would be replaced.
  useLayoutEffect(() => {
    const editor = view.current;
    const at = reported.current.lastIndexOf(value);
    if (at >= 0) reported.current = reported.current.slice(at + 1);
    if (!editor || at >= 0 || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    reported.current = [];
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !shownPlace) return;
    const { doc } = editor.state;
    // The text may have been changed since it was run.
    const line = doc.line(Math.min(Math.max(shownPlace.line, 1), doc.lines));
    const anchor = Math.min(line.from + Math.max(shownPlace.column - 1, 0), line.to);
    editor.dispatch({ selection: { anchor }, scrollIntoView: true });
    editor.focus();
  }, [shownPlace]);
  useEffect(() => {
    if (view.current && language === 'graphql') updateSchema(view.current, schema);
  }, [schema, language]);

  return <div class="editor" ref={place} />;
}

/**
 * Typing over a selection. Chromium would keep the look of what was selected by a `style` attribute, which the
 * Content-Security-Policy refuses and reports.
 */
const replaceSelectionByTyping = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || data === null || view.composing || ranges.every(({ empty }) => empty))
      return false;
    const replace = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, replace))) view.dispatch(replace());
    return true;
  },
});

/** No marks where there is no definition yet: a GraphQL parser expects one after a comment too. */
function unlessBlank(found: readonly Diagnostic[], state: EditorState): Diagnostic[] {
  return /[^\s,]/.test(state.doc.toString().replace(/#.*/g, '')) ? [...found] : [];
}

function extensionsOf(
  latest: { readonly current: CodeEditorProps },
  reported: { current: readonly string[] },
): Extension[] {
  const { label, language, onChange, hint, schema } = latest.current;
  const run = () => {
    latest.current.onRun?.();
    return latest.current.onRun !== undefined;
  };
  return [
    keymap.of([
      { key: 'Mod-Enter', run },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap,
    ]),
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightSelectionMatches(),
    search({ top: true }),
    hint === undefined ? [] : placeholder(hint),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    onChange ? [] : [EditorState.readOnly.of(true), EditorView.lineWrapping],
    EditorView.updateListener.of((update) => {
      const { onChange: tell } = latest.current;
      if (!update.docChanged || !tell) return;
      const text = update.state.doc.toString();
      reported.current = [...reported.current, text];
      tell(text);
    }),
    language === 'json'
      ? json()
      : [
          graphqlSupport(schema, {
            onShowInDocs: (field, type, parent) => latest.current.onShowInDocs?.(field, type, parent),
          }),
          linter(null, { markerFilter: unlessBlank }),
        ],
    replaceSelectionByTyping,
    editorTheme,
  ];
}
