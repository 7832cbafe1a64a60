// Compares the parts of the extension that know no editor with slow and simple models.
import assert from 'node:assert/strict';

import { OwnText } from '../../../../editors/vscode/src/ownText.ts';
import { slideOffCursors } from '../../../../editors/vscode/src/textPlace.ts';
import { breaksOf, WrapColumn } from '../../../../editors/vscode/src/wrap.ts';
import { sameText, scenario } from '../harness.mjs';

/** Returns a generator of numbers below `limit`, the same ones for the same seed. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

scenario('pure: a reply that is taken back leaves exactly what people wrote', () => {
  for (let seed = 1; seed <= 2000; ++seed) {
    const below = numbers(seed);
    const own = new OwnText();
    let text = [...'What a person wrote.'].map((character) => ({ character, agent: false }));
    for (let step = 0; step < 12; ++step) {
      const agent = below(2) === 0;
      const begin = below(text.length + 1);
      // The agent deletes only its own text.
      let count = below(4);
      if (agent)
        while (count > 0 && !text.slice(begin, begin + count).every((one) => one.agent)) --count;
      count = Math.min(count, text.length - begin);
      const inserted = [...'xyz'.slice(0, below(4))].map((character) => ({
        character: agent ? character.toUpperCase() : character,
        agent,
      }));
      const removed = text
        .slice(begin, begin + count)
        .map((one) => one.character)
        .join('');
      if (agent) own.write(begin, removed, inserted.length);
      else own.change(begin, count, inserted.length);
      text = [...text.slice(0, begin), ...inserted, ...text.slice(begin + count)];
    }
    let now = text.map((one) => one.character).join('');
    for (const { begin, end, text: back } of own.inverse().reverse())
      now = now.slice(0, begin) + back + now.slice(end);
    sameText(
      `${seed}: ${now}`,
      `${seed}: ${text
        .filter((one) => !one.agent)
        .map((one) => one.character)
        .join('')}`,
    );
  }
});

scenario('pure: what the agent replaced comes back with it', () => {
  const own = new OwnText();
  own.write(8, 'old', 5); // "resume: old" -> "resume: newer"
  own.write(8, 'newer', 6);
  own.change(0, 0, 2);
  assert.deepEqual(own.inverse(), [{ begin: 10, end: 16, text: 'old' }]);
});

scenario('pure: an insertion moved off the cursors gives the same text', () => {
  let moved = 0;
  for (let seed = 1; seed <= 2000; ++seed) {
    const below = numbers(seed);
    const word = (length) => Array.from({ length }, () => 'ab\n'[below(3)]).join('');
    const text = word(8);
    const at = below(text.length + 1);
    const piece = { begin: at, end: at, text: word(1 + below(4)) };
    const cursors = [at, below(text.length + 1)];
    const slid = slideOffCursors(piece, text.charAt(at - 1), text.charAt(at), cursors);
    const apply = (one) => text.slice(0, one.begin) + one.text + text.slice(one.end);
    sameText(apply(slid), apply(piece));
    if (slid !== piece) {
      moved += 1;
      assert.ok(!cursors.includes(slid.begin));
    }
  }
  assert.ok(moved > 100);
});

scenario(
  'pure: lines are wrapped at words, in words that are too long, behind the indentation, and between wide characters',
  () => {
    for (const [line, column, breaks] of [
      ['', 10, []],
      ['aaaa bbbb', 10, []],
      ['aaaa bbbb cccc dddd', 10, [10]],
      ['aaaa bbbb  cccc', 9, [5, 11]],
      ['aaaaaaaaaaaaaaaaaaaaaaaaa', 10, [10, 20]],
      ['  aaaa bbbb cccc dddd', 10, [7, 12, 17]],
      ['你好世界你好世界', 6, [3, 6]],
      ['aa-bb (cc)', 8, [6]],
    ]) {
      assert.deepEqual(breaksOf(line, column), breaks, `${line} at ${column}`);
    }
  },
);

scenario('pure: the column of a window is learned from the rows that are seen', () => {
  const below = numbers(7);
  const text = () =>
    Array.from({ length: 60 }, () => 'abcdefghij'.slice(0, 1 + below(9))).join(' ');
  for (const column of [40, 71, 118]) {
    const wrap = new WrapColumn();
    assert.equal(wrap.rows(text()), 1);
    for (let seen = 0; seen < 60; ++seen) {
      const line = text();
      const breaks = breaksOf(line, column);
      wrap.learn({ line, at: breaks[below(breaks.length)] });
    }
    for (let lines = 0; lines < 20; ++lines) {
      const line = text();
      assert.equal(wrap.rows(line), breaksOf(line, column).length + 1);
    }
    wrap.learn({ line: 'Line 7.', at: 3 }); // of another text
    const line = text();
    assert.equal(wrap.rows(line), breaksOf(line, column).length + 1);
  }
});

scenario('pure: rows of a window that was made narrower are learned anew', () => {
  const wrap = new WrapColumn();
  wrap.learn({ line: 'aaaa bbbb cccc dddd eeee ffff gggg hhhh', at: 30 });
  const before = wrap.rows('a'.repeat(300));
  for (let times = 0; times < 3; ++times) wrap.learn({ line: 'b'.repeat(300), at: 22 });
  assert.ok(wrap.rows('a'.repeat(300)) > before);
  assert.equal(wrap.rows('a'.repeat(220)), 10);
});
