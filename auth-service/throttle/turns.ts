interface Line {
  /** Networks with an attempt in the line. */
  readonly networks: Set<string>;
  /** Settles after the turn of the last attempt. */
  last: Promise<unknown>;
}

/**
 * Lets attempts take turns at a counter, in the order of their arrival in this process, with at most one attempt of each
 * network.
 */
export interface Turns {
  /**
   * Runs `work` in its turn.
   *
   * @returns undefined if an attempt of the network is already waiting, or too many others are.
   */
  take<Result>(key: string, network: string, work: () => Promise<Result>): Promise<Result | undefined>;
}

/** @param maxWaiting the most attempts that wait at one counter. */
export function createTurns(maxWaiting: number): Turns {
  const lines = new Map<string, Line>();
  return {
    async take(key, network, work) {
      const line = lines.get(key) ?? { networks: new Set(), last: Promise.resolve() };
      if (line.networks.has(network) || line.networks.size >= maxWaiting) return undefined;
      lines.set(key, line);
      line.networks.add(network);
      const turn = line.last.then(work);
      line.last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        line.networks.delete(network);
        if (line.networks.size === 0) lines.delete(key);
      }
    },
  };
}
