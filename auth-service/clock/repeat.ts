/** Does something every so many milliseconds, until what it returns is called. Does not keep the process alive. */
export function repeat(milliseconds: number, action: () => Promise<void>): () => void {
  const timer = setInterval(() => void action(), milliseconds).unref();
  return () => clearInterval(timer);
}
