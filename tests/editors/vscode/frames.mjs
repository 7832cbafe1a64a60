// Measures in the page, frame by frame, what a person sees: where a line and the cursor are, and
// when a typed key appears.

/**
 * Notes in every frame the place of the line that contains `text`, in pixels below the top of the
 * editor; null while it is out of sight.
 */
export async function watchLine(page, text) {
  return watch(
    page,
    (needle) => {
      const lines = document.querySelectorAll('.editor-group-container.active .view-line');
      const line = [...lines].find((one) =>
        one.textContent.replaceAll('\u00a0', ' ').includes(needle),
      );
      return line ? line.getBoundingClientRect().top : null;
    },
    text,
  );
}

export async function watchCursor(page) {
  return watch(
    page,
    () =>
      document
        .querySelector('.editor-group-container.active .cursors-layer .cursor')
        ?.getBoundingClientRect().top ?? null,
  );
}

async function watch(page, look, argument) {
  await page.evaluate(
    ([body, value]) => {
      const look = new Function('value', `return (${body})(value);`);
      const seen = (window.seenFrames = []);
      // Runs after the callbacks of the frame: when the text changes, VS Code removes lines from
      // the page, and moves the others to their places in one of these callbacks.
      const behind = new MessageChannel();
      behind.port1.onmessage = () => {
        if (window.seenFrames !== seen) return;
        seen.push(look(value));
        requestAnimationFrame(() => behind.port2.postMessage(0));
      };
      requestAnimationFrame(() => behind.port2.postMessage(0));
    },
    [look.toString(), argument],
  );
  return {
    /** Returns the frames since the beginning, as [frames, pixels] for each run of the same place.
     * */
    async end() {
      const frames = await page.evaluate(() => {
        const seen = window.seenFrames;
        window.seenFrames = undefined;
        return seen;
      });
      const runs = [];
      for (const top of frames) {
        if (runs.at(-1)?.[1] === top) runs.at(-1)[0] += 1;
        else runs.push([1, top]);
      }
      return { frames: frames.length, runs, places: [...new Set(frames)] };
    },
  };
}

/**
 * Types `text` and returns, for every key, the milliseconds from the key to the character in the
 * page. The line typed in begins with `mark`.
 */
export async function typeAndMeasure(page, mark, text, delay) {
  await page.evaluate((mark) => {
    const line = () =>
      [...document.querySelectorAll('.editor-group-container.active .view-line')]
        .map((one) => one.textContent)
        .find((one) => one.startsWith(mark)) ?? mark;
    const times = (window.keyTimes = { pressed: [], shown: [] });
    const before = line().length;
    window.keyListener = () => times.pressed.push(performance.now());
    window.addEventListener('keydown', window.keyListener, true);
    window.keyObserver = new MutationObserver(() => {
      const shown = line().length - before;
      while (times.shown.length < shown) times.shown.push(performance.now());
    });
    window.keyObserver.observe(
      document.querySelector('.editor-group-container.active .view-lines'),
      { subtree: true, childList: true, characterData: true },
    );
  }, mark);
  await page.keyboard.type(text, { delay });
  await page.waitForFunction((count) => window.keyTimes.shown.length >= count, text.length);
  const { pressed, shown } = await page.evaluate(() => {
    window.removeEventListener('keydown', window.keyListener, true);
    window.keyObserver.disconnect();
    return window.keyTimes;
  });
  return shown.slice(0, text.length).map((time, index) => time - pressed[index]);
}

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * Notes in every frame whether the end of the reply is in sight: its last line of words and the
 * heading below it.
 */
export async function watchEnd(page) {
  return watch(page, () => {
    const lines = [...document.querySelectorAll('.editor-group-container.active .view-line')].map(
      (one) => ({
        text: one.textContent.replaceAll('\u00a0', ' '),
        top: one.getBoundingClientRect().top,
      }),
    );
    const words = lines.filter(({ text }) => /^w\d+( w\d+)* ?$/.test(text)).map(({ top }) => top);
    if (words.length === 0) return 'none of it';
    const { bottom } = document
      .querySelector('.editor-group-container.active .monaco-editor')
      .getBoundingClientRect();
    return lines.some(
      ({ text, top }) => text === '## User' && top > Math.max(...words) && top < bottom,
    )
      ? 'the end'
      : 'no end';
  });
}
