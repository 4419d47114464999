import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { takeTerminal } from '../../src/tui/mount.tsx';

test('takeTerminal: back from the shell it erases keys that were pressed too early, before it leaves that screen', () => {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text), fd: -1 } as unknown as NodeJS.WriteStream;
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  const terminal = takeTerminal(stdout, stdin);
  try {
    expect(written.splice(0).join('')).toMatch(/^\u001b\[\?1049h/);
    terminal.give();
    terminal.retake();
    expect(written.join('')).toMatch(/^\r\u001b\[K\u001b\[\?1049h/);
  } finally {
    terminal.restore();
  }
});
