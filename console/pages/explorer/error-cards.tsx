import { ScrollRegion } from '../../parts/index.ts';
import { explorer } from '../../texts/index.ts';
import type { Position, ShownError } from './answer.ts';

const { errors: errorTexts } = explorer;

/** Cards that are shown: a list of thousands of rows may fail in each of them. */
const MAX_CARDS = 50;

interface ErrorCardsProps {
  readonly errors: readonly ShownError[];
  /** Shows a place in the operation. */
  readonly onGoTo: (place: Position) => void;
}

/** What went wrong, with the place in the operation and in the result. */
export function ErrorCards({ errors, onGoTo }: ErrorCardsProps) {
  if (errors.length === 0) return null;
  return (
    <ScrollRegion label={errorTexts.label} class="error-cards">
      <ul>
        {errors.slice(0, MAX_CARDS).map(({ message, code, path, locations }, at) => (
          <li key={at} class="error-card">
            <p>{message}</p>
            <p class="row small">
              {code !== undefined && <span class="badge bad">{code}</span>}
              {path !== undefined && (
                <span class="dim">
                  {errorTexts.path} <code>{path}</code>
                </span>
              )}
              {locations.map((place) => (
                <button
                  key={`${place.line}:${place.column}`}
                  type="button"
                  class="link"
                  onClick={() => onGoTo({ ...place })}
                >
                  {errorTexts.place(place.line, place.column)}
                </button>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {errors.length > MAX_CARDS && <p class="dim small">{errorTexts.more(errors.length - MAX_CARDS)}</p>}
    </ScrollRegion>
  );
}
