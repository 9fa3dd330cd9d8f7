import { Button } from '../../parts/index.ts';
import { graph as texts } from '../../texts/index.ts';

interface OffsetPagerProps {
  readonly offset: number;
  readonly pageSize: number;
  /** Where the next page begins; null on the last one. */
  readonly nextOffset: number | null;
  readonly onChange: (offset: number) => void;
}

/** Leads to the pages before and after. */
export function OffsetPager({ offset, pageSize, nextOffset, onChange }: OffsetPagerProps) {
  return (
    <div class="row">
      <Button disabled={offset === 0} onClick={() => onChange(Math.max(0, offset - pageSize))}>
        {texts.previous}
      </Button>
      <Button disabled={nextOffset === null} onClick={() => onChange(nextOffset ?? offset)}>
        {texts.next}
      </Button>
    </div>
  );
}
