/** A bar whose length is `value` in proportion to the longest of its panel. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly kind: 'limit' | 'peer' | 'portico';
}

export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const COLUMNS = 2;
const PANEL_WIDTH = 440;
const LABEL_WIDTH = 176;
const VALUE_WIDTH = 64;
const BAR_HEIGHT = 16;
const BAR_STEP = 22;
const TITLE_HEIGHT = 34;
const MARGIN = 16;
const HEAD_HEIGHT = 44;
const NOTE_HEIGHT = 26;

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .panel { font-weight: 600; }
  .quiet { fill: #59636e; }
  .background { fill: #ffffff; }
  .limit { fill: #b7bfc8; }
  .peer { fill: #7f93ad; }
  .portico { fill: #1a7f5a; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .background { fill: #0d1117; }
    .limit { fill: #4a525c; }
    .peer { fill: #5c7596; }
    .portico { fill: #3fb98a; }
  }
`;

/** Returns a picture of small bar charts, two side by side, each with its own scale. It is readable on light and dark pages. */
export function barCharts(title: string, note: string, panels: readonly Panel[]): string {
  const lines = Array.from({ length: Math.ceil(panels.length / COLUMNS) }, (_, line) =>
    panels.slice(line * COLUMNS, (line + 1) * COLUMNS),
  );
  const heightOf = (panel: Panel) => TITLE_HEIGHT + panel.bars.length * BAR_STEP + MARGIN;
  let y = HEAD_HEIGHT;
  const drawn: string[] = [];
  for (const line of lines) {
    drawn.push(...line.map((panel, column) => drawPanel(panel, MARGIN + column * (PANEL_WIDTH + MARGIN), y)));
    y += Math.max(...line.map(heightOf));
  }
  const width = MARGIN + COLUMNS * (PANEL_WIDTH + MARGIN);
  const height = y + NOTE_HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}</style>
<rect class="background" width="${width}" height="${height}" rx="6"/>
<text class="title" x="${MARGIN}" y="28">${escapeXml(title)}</text>
${drawn.join('\n')}
<text class="quiet" x="${MARGIN}" y="${height - 12}">${escapeXml(note)}</text>
</svg>
`;
}

function drawPanel({ title, bars }: Panel, x: number, y: number): string {
  const longest = Math.max(...bars.map(({ value }) => value));
  const room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const drawn = bars.map(({ label, value, text, kind }, index) => {
    const top = y + TITLE_HEIGHT + index * BAR_STEP;
    const length = longest > 0 ? Math.max(1, (value / longest) * room) : 1;
    const start = x + LABEL_WIDTH;
    const middle = top + 12;
    return `<text x="${start - 8}" y="${middle}" text-anchor="end">${escapeXml(label)}</text><rect class="${kind}" x="${start}" y="${top}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/><text x="${(start + length + 6).toFixed(1)}" y="${middle}">${escapeXml(text)}</text>`;
  });
  return `<text class="panel" x="${x}" y="${y + 20}">${escapeXml(title)}</text>\n${drawn.join('\n')}`;
}

/** Escapes a text for an XML document, including attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
