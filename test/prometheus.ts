/** Values by their names with labels, as they are written. Labels stand in the order of the exposition. */
export type Exposed = ReadonlyMap<string, number>;

const LINE = /^(\w+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/;

/** Reads the text format of Prometheus. @throws Error for a line that is not of it. */
export function readExposition(text: string): Exposed {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name, value] = LINE.exec(line) ?? [];
      if (name === undefined) throw new Error(`not in the format of Prometheus: ${line}`);
      return [name, Number(value)];
    }),
  );
}
