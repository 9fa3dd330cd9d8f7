import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of editors, in the colours of the page, which reach into the shadow tree as custom properties. */
export const editorTheme = [
  EditorView.theme({
    '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '13px' },
    // The frame around the editor shows the focus: gutters would cover a part of an outline here.
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--dim)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--accent-soft)',
    },
    '.cm-tooltip': {
      backgroundColor: 'var(--card)',
      color: 'var(--text)',
      border: '1px solid var(--line)',
      borderRadius: 'var(--radius-small)',
      boxShadow: 'var(--shadow-raised)',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
    '.cm-completionInfo': { maxWidth: '24rem', padding: '0.4rem 0.6rem' },
    '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
    '.cm-placeholder': { color: 'var(--dim)' },
    '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', color: 'var(--dim)', border: '1px solid var(--line)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.definitionKeyword, tags.modifier], color: 'var(--code-keyword)' },
      { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)], color: 'var(--code-name)' },
      { tag: [tags.typeName, tags.atom, tags.bool, tags.null], color: 'var(--code-type)' },
      { tag: [tags.string, tags.special(tags.name), tags.variableName], color: 'var(--code-string)' },
      { tag: [tags.number, tags.integer, tags.float], color: 'var(--code-number)' },
      { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--dim)', fontStyle: 'italic' },
    ]),
  ),
];
