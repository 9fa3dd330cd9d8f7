/**
 * Returns how many letters to insert, delete, replace or swap with their neighbour to turn one word into the other (optimal
 * string alignment).
 */
export function editDistance(one: string, two: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: two.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= two.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === two[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1];
      const swapped = isSwapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[two.length] ?? 0;
}

/** Returns the most similar word of `words` within an edit distance of a third of the letters of `word`. */
export function closest(word: string, words: readonly string[]): string | undefined {
  return nearestWithin(word, words, Math.max(1, Math.floor(word.length / 3)));
}

/** Returns the end of a message about an unknown word: the most similar one of `words`, if there is one. */
export function suggestion(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : `: did you mean "${meant}"?`;
}

/** Returns a message about a key that is not in `known`: it names the most similar one, or all. */
export function unknownKeyMessage(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  const expected = meant ? `did you mean "${meant}"?` : `expected one of ${known.join(', ')}`;
  return `unknown key ${JSON.stringify(key)}: ${expected}`;
}

/** Like `closest`, for words that may all be valid: a distance of one, two from six letters on, and never only a digit. */
export function likelyMeant(word: string, words: readonly string[]): string | undefined {
  const letters = (text: string) => text.replace(/\d/g, '');
  const others = words.filter((other) => other !== word && letters(other) !== letters(word));
  return nearestWithin(word, others, word.length < 6 ? 1 : 2);
}

function nearestWithin(word: string, words: readonly string[], most: number): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}
