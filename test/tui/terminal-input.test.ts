import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createTerminalInput, keysIn, type MouseEvent, wholeKeys } from '../../src/tui/typing.ts';

function read(...chunks: readonly string[]) {
  const pasted: string[] = [];
  const mouse: MouseEvent[] = [];
  const input = createTerminalInput({
    paste: (text) => void pasted.push(text),
    mouse: (event) => void mouse.push(event),
  });
  const keys = chunks.map((chunk) => input.keysOf(chunk)).join('');
  return { keys, pasted, mouse };
}

test('keys: what is neither pasted nor of the mouse is left as it came', () => {
  expect(read('j\u001b[A\u001b[5~\u001b', ':').keys).toBe('j\u001b[A\u001b[5~\u001b:');
});

test('paste: reported once, without its marks, with the keys around it kept', () => {
  expect(read('a\u001b[200~(415) 555-0100\u001b[201~b')).toEqual({
    keys: 'ab',
    pasted: ['(415) 555-0100'],
    mouse: [],
  });
});

test('paste: the mouse within a pasted text is text', () => {
  expect(read('\u001b[200~\u001b[<0;1;1M\u001b[201~')).toMatchObject({
    pasted: ['\u001b[<0;1;1M'],
    mouse: [],
  });
});

test('mouse: a click counts when it begins, the wheel in both directions, other buttons not at all', () => {
  expect(
    read('\u001b[<0;5;3M\u001b[<0;5;3m\u001b[<64;1;1M\u001b[<65;1;1M\u001b[<2;1;1M\u001b[<16;1;1M'),
  ).toEqual({
    keys: '',
    pasted: [],
    mouse: [
      { kind: 'click', line: 2, column: 4 },
      { kind: 'wheel', direction: 'up' },
      { kind: 'wheel', direction: 'down' },
    ],
  });
});

test('chunks: wherever what was sent is cut, the same is read', () => {
  const sent = 'x\u001b[200~one\r\ntwo\u001b[201~y\u001b[<65;20;11Mz\u001b[200~\u001b[201~';
  const whole = read(sent);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: sent.length - 1 })), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), sent.length];
      // Escape alone is a key, so the reader doesn't wait for what may follow it.
      fc.pre(!places.some((place) => /\u001b\[?2?$/.test(sent.slice(0, place))));
      const chunks = places.slice(1).map((end, at) => sent.slice(places[at], end));
      expect(read(...chunks)).toEqual(whole);
    }),
  );
});

test('paste: one that never ends gives the keyboard back', () => {
  const { keys, pasted } = read(`\u001b[200~${'x'.repeat(1_000_001)}`, 'j');
  expect(keys).toBe('j');
  expect(pasted.map(({ length }) => length)).toEqual([1_000_000]);
});

test('keys: wherever their sequences are cut, the same keys are read', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent = 'j\u001b[A\u001bOB\u001b[1;5C\u001b[3~\u001b\u001b[Dx';
  const readIn = (...chunks: readonly string[]) => {
    const keys: string[] = [];
    const read = wholeKeys((text) => void keys.push(...keysIn(text)));
    for (const chunk of chunks) read(chunk);
    vi.runAllTimers();
    return keys;
  };
  try {
    const whole = readIn(sent);
    expect(whole).toEqual(['j', 'up', 'down', 'delete', 'x']);
    for (let cut = 1; cut < sent.length; cut += 1)
      expect(readIn(sent.slice(0, cut), sent.slice(cut)), sent.slice(0, cut)).toEqual(whole);
    expect(readIn('\u001b')).toEqual(['escape']);
    expect(readIn('\u001b', 'd')).toEqual(['escape', 'd']);
  } finally {
    vi.useRealTimers();
  }
});
