// Places one contiguous edit among cursors and lines. Pure; it knows nothing of editors.

/** One edit of a text, in offsets of UTF-16 units. */
export interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Shifts an insertion by one character if the resulting text is the same and none of `cursors` is
 * at the new place: VS Code pushes a cursor that is exactly at an insertion. Returns the piece
 * itself if it does not insert, if no cursor is there, or if there is no such place.
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

/** Returns an offset after an insertion that does not push what is exactly there. */
export function afterInsertion(offset: number, piece: Piece): number {
  return offset <= piece.begin ? offset : offset + piece.text.length;
}

export function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ++count;
  return count;
}
