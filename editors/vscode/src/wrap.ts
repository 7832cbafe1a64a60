// Computes how many rows of the screen a line takes, and learns the column at which VS Code wraps:
// there is no API for it. Pure. It is not exact for fonts whose characters differ in width or for
// `wrappingStrategy: advanced`; the column is then learned anew all the time.

const breaksAfter = new Set(' \t})]?|/&.,;¢°′″‰℃、。｡､￠，．：；？！％・”〉》」』】〕）］｝｣');
const breaksBefore = new Set('([{‘“〈《「『【〔（［｛｢£¥＄￡￥+＋');
const wide = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua000-\\ua4cf' +
    '\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6]',
);
const ideograph = /[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]/;

/** The columns of a window: fewer are useless, more do not fit on a screen. */
const narrowest = 20;
const widest = 400;

/**
 * Returns the offsets in a line at which its rows begin, except the first; `column` is the number
 * of columns of a row.
 */
export function breaksOf(line: string, column: number, tabSize = 4): number[] {
  const width = (character: string, at: number): number =>
    character === '\t'
      ? tabSize - (at % tabSize)
      : character.length > 1 || wide.test(character)
        ? 2
        : 1;
  const indent = Math.min(indentOf(line, tabSize), column - 1 > 0 ? column - 1 : 0);
  const usable = Math.max(1, column - (indent + 1 > column / 2 ? 0 : indent));
  const breaks: number[] = [];
  let limit = column; // of the row
  let columns = 0; // up to here
  let candidate = -1; // the last place where the row may end
  let columnsOfCandidate = 0;
  let at = 0;
  let before = '';
  for (const character of line) {
    if (before !== '' && mayBreak(before, character))
      [candidate, columnsOfCandidate] = [at, columns];
    const wider = columns + width(character, columns);
    if (before !== '' && wider > limit) {
      if (candidate <= (breaks[breaks.length - 1] ?? 0) || wider - columnsOfCandidate > usable)
        [candidate, columnsOfCandidate] = [at, columns];
      breaks.push(candidate);
      limit = columnsOfCandidate + usable;
      candidate = -1;
    }
    columns = wider;
    before = character;
    at += character.length;
  }
  return breaks;
}

function indentOf(line: string, tabSize: number): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += tabSize - (columns % tabSize);
    else if (character === ' ') columns += 1;
    else break;
  }
  return columns;
}

function mayBreak(before: string, after: string): boolean {
  if (after === ' ') return false;
  if (breaksAfter.has(before) && !breaksAfter.has(after)) return true;
  if (!breaksBefore.has(before) && breaksBefore.has(after)) return true;
  return (
    (ideograph.test(before) && !breaksAfter.has(after)) ||
    (ideograph.test(after) && !breaksBefore.has(before))
  );
}

/** A row of the screen that begins or ends within a line, as VS Code reported it. */
export interface Seen {
  readonly line: string;
  readonly at: number;
}

/** Learns the column at which lines are wrapped from visible rows. */
export class WrapColumn {
  /** After so many rows in succession that do not fit, the window must have another width. */
  private static readonly enough = 3;

  private candidates: number[] | undefined;
  private doubts = 0;

  learn({ line, at }: Seen): void {
    if (at <= 0 || at >= line.length) return;
    const fits = (column: number): boolean => breaksOf(line, column).includes(at);
    const left = this.candidates?.filter(fits) ?? [];
    if (left.length > 0) {
      this.candidates = left;
      this.doubts = 0;
      return;
    }
    const anew = Array.from(
      { length: widest - narrowest + 1 },
      (_, index) => narrowest + index,
    ).filter(fits);
    // VS Code may report new rows a moment before the text in them.
    const isOfThisText = anew.length > 0;
    if (!isOfThisText || (this.candidates && ++this.doubts < WrapColumn.enough)) return;
    this.candidates = anew;
    this.doubts = 0;
  }

  /** Returns the number of rows that a line takes; 1 while nothing is known. */
  rows(line: string): number {
    // The widest candidate is usually right: a row that ends although a short word would still fit
    // excludes the wider ones.
    const column = this.candidates?.[this.candidates.length - 1];
    return column === undefined ? 1 : breaksOf(line, column).length + 1;
  }
}
