// What it is: where one contiguous edit stands among cursors and lines. Pure.
// What it is not: aware of editors.

/** One edit of a text, in offsets of UTF-16 units. */
export interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

/**
 * An insertion that gives the same text from the character before or behind, so that none of
 * `cursors` is where it is made: VS Code pushes a cursor along that is exactly there. The piece
 * itself when it does not insert, no cursor is there, or there is no such place.
 */
export function slideOffCursors(
  piece: Piece,
  before: string,
  after: string,
  cursors: readonly number[],
): Piece {
  const at = piece.begin;
  if (piece.end !== at || piece.text === '' || !cursors.includes(at)) return piece;
  const last = piece.text.slice(-1);
  if (after !== '' && piece.text.startsWith(after) && !cursors.includes(at + after.length)) {
    return {
      begin: at + after.length,
      end: at + after.length,
      text: piece.text.slice(after.length) + after,
    };
  }
  if (before !== '' && last === before && !cursors.includes(at - 1)) {
    return { begin: at - 1, end: at - 1, text: before + piece.text.slice(0, -1) };
  }
  return piece;
}

/** Where an offset is after an insertion that does not push what is exactly there. */
export function afterInsertion(offset: number, piece: Piece): number {
  return offset <= piece.begin ? offset : offset + piece.text.length;
}

export function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ++count;
  return count;
}
