/** Runs an action at an interval until the returned function is called. Does not keep the process alive. */
export function repeat(milliseconds: number, action: () => Promise<void>): () => void {
  const timer = setInterval(() => void action(), milliseconds).unref();
  return () => clearInterval(timer);
}
