/** Returns the code of an error of Node.js or of a library, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
