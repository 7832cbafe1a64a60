// Tracks which parts of a text the agent has written, and the person's text that they replaced,
// through every change. Pure. There is no history: deleted text is forgotten.
import type { Piece } from './textPlace';

/** [begin, end) is the agent's text; it replaced `replaced`. */
interface Span {
  readonly begin: number;
  readonly end: number;
  readonly replaced: string;
}

export class OwnText {
  private spans: Span[] = [];

  get isEmpty(): boolean {
    return this.spans.length === 0;
  }

  /** Returns the edits that restore the text from before the agent wrote. They do not overlap. */
  inverse(): Piece[] {
    return this.spans.map(({ begin, end, replaced }) => ({ begin, end, text: replaced }));
  }

  /** Notes that the agent replaced `removed`, which began at `begin`, by `length` units. */
  write(begin: number, removed: string, length: number): void {
    const end = begin + removed.length;
    let replaced = '';
    let at = begin;
    for (const span of this.spans.filter((one) => one.end > begin && one.begin < end)) {
      replaced += removed.slice(at - begin, Math.max(at, span.begin) - begin) + span.replaced;
      at = Math.min(end, span.end);
    }
    replaced += removed.slice(at - begin);
    this.change(begin, removed.length, length);
    if (length > 0 || replaced !== '') this.add({ begin, end: begin + length, replaced });
  }

  /** Notes that somebody else replaced `removed` units at `begin` by `length` others. */
  change(begin: number, removed: number, length: number): void {
    const end = begin + removed;
    const shift = length - removed;
    this.spans = this.spans.flatMap((span) => {
      if (span.end <= begin) return [span];
      if (span.begin >= end) return [{ ...span, begin: span.begin + shift, end: span.end + shift }];
      const head = { begin: span.begin, end: begin, replaced: span.replaced };
      const tail = { begin: end + shift, end: span.end + shift, replaced: '' };
      return [head, tail].filter((part) => part.end > part.begin);
    });
  }

  private add(span: Span): void {
    const before = this.spans.filter((one) => one.end <= span.begin);
    const after = this.spans.slice(before.length);
    const last = before[before.length - 1];
    if (last && last.end === span.begin && span.replaced === '') {
      this.spans = [...before.slice(0, -1), { ...last, end: span.end }, ...after];
    } else {
      this.spans = [...before, span, ...after];
    }
  }
}
