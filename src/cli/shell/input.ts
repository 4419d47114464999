/**
 * Values that are not on the command line: from stdin, a hidden prompt or a file; and the confirmation before a loss.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { whyRefused } from '../../kernel/system-failure.ts';
import { printable } from '../../kernel/text/terminal-text.ts';
import { KIB, MIB } from '../../kernel/numbers/units.ts';
import { cancelled, InputNeededError, UsageError, CliError } from './failure.ts';
import type { Client } from '../../client/client.ts';

/** Whether an error repeats the name of a file. By default only what has the form of a path: a value can begin with @. */
type Named = 'always' | 'paths' | 'never';

export interface InputSource {
  /** All of stdin as text. Throws UsageError if it is not UTF-8. */
  stdin(): Promise<string>;
  stdinBytes(): Promise<Buffer>;
  /** A value typed without echo. Throws InputNeededError without a terminal. */
  hidden(label: string): Promise<string>;
  /** A line typed at the terminal. Throws InputNeededError without a terminal. */
  line(label: string): Promise<string>;
  /** A secret: `-` for stdin, `?` for a hidden prompt (repeated if `twice`), `@file`, otherwise the text itself. */
  secret(text: string, label: string, options?: { twice?: boolean }): Promise<string>;
  /** A file's text. Throws UsageError if it can't be read or is not UTF-8; see `Named`. */
  file(path: string, named?: Named): string;
  /** A file's bytes. Throws UsageError if it can't be read. */
  fileBytes(path: string, named?: Named): Buffer;
}

export function terminalInput(isInteractive: boolean): InputSource {
  const source: InputSource = {
    async stdin() {
      return decode(await source.stdinBytes(), 'stdin');
    },
    async stdinBytes() {
      if (process.stdin.readableEnded) throw new UsageError('Only one value can come from stdin');
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    async hidden(label) {
      if (!isInteractive) {
        throw new InputNeededError(
          `${label} needs a prompt, and there is no terminal`,
          'use - to read it from stdin',
        );
      }
      const { default: password } = await import('@inquirer/password');
      return await password({ message: printable(label) }, { output: process.stderr });
    },
    async line(label) {
      if (!isInteractive)
        throw new InputNeededError(`${label} is missing, and there is no terminal to ask on`);
      return await askLine(printable(label));
    },
    async secret(text, label, { twice = false } = {}) {
      if (text === '-') return withoutFinalNewline(await source.stdin());
      if (text.startsWith('@')) return withoutFinalNewline(source.file(text.slice(1), 'never'));
      if (text !== '?') return text;
      const typed = await source.hidden(label);
      if (twice && (await source.hidden(`${label}, again`)) !== typed) {
        throw new UsageError('The two values differ; nothing was changed');
      }
      return typed;
    },
    file(path, named) {
      return decode(source.fileBytes(path, named), fileText(path, named));
    },
    fileBytes(path, named) {
      try {
        return readBounded(path);
      } catch (error) {
        if (error instanceof UsageError) throw error;
        throw new UsageError(`${fileText(path, named)} cannot be read: ${whyRefused(error)}`);
      }
    },
  };
  return source;
}

const PATH =
  /^(?:(?:\.{1,2}|~)?[/\\].*|.*\.(?:json|ya?ml|txt|csv|md|xml|html?|pem|key|crt|png|jpe?g|gif|webp|heic|pdf|bin|http|headers?|log))$/i;

function fileText(path: string, named: Named = 'paths'): string {
  return named === 'always' || (named === 'paths' && PATH.test(path))
    ? `The file ${path}`
    : 'A file named after @';
}

/** Larger than any file that the daemon takes. The limit is needed because a device may never end. */
const MOST_BYTES = 64 * MIB;

function readBounded(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let bytes = 0; bytes <= MOST_BYTES;) {
      const piece = Buffer.allocUnsafe(64 * KIB);
      const read = readSync(file, piece);
      if (read === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(file);
  }
  throw new UsageError(`A file named after @ contains more than ${MOST_BYTES / MIB} MiB`);
}

async function askLine(label: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return (await new Promise((resolve, reject) => {
    terminal.once('SIGINT', () => reject(cancelled()));
    // Ctrl-D. After an answer it has no effect.
    terminal.once('close', () => reject(cancelled()));
    terminal.question(`${label}: `, resolve);
  }).finally(() => terminal.close())) as string;
}

/** The source of a secret, a prompt by default. Throws UsageError for a literal one, which others would see. */
export function hiddenSource(flag: string, variable: string, source = '?'): string {
  if (/^(?:[?-]$|@)/.test(source)) return source;
  throw new UsageError(
    `${flag} takes -, ? or @FILE: other users can see the command line`,
    `${variable} is read from the environment`,
  );
}

/** Removes one final line end, which comes from the terminal or from echo and is not part of the value. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Throws UsageError, which names the source. */
export function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8 text`);
  }
}

/**
 * Confirms a destructive command: with `--yes`, on an ephemeral instance (whose data is not meant to last), or by a
 * person at a terminal. Throws InputNeededError without a terminal, CliError if the answer is no.
 */
export async function confirmLoss(
  what: string,
  ask: { readonly isAgreed: boolean; readonly isInteractive: boolean; readonly client: Client },
): Promise<void> {
  if (ask.isAgreed || (await isEphemeral(ask.client))) return;
  if (!ask.isInteractive)
    throw new InputNeededError(`${what} needs --yes when there is no terminal to ask on`);
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await confirm(
    { message: printable(`${what}?`), default: false },
    { output: process.stderr },
  );
  if (!agreed) throw new CliError('Cancelled; nothing was changed', { code: 'cancelled' });
}

/** If the caller has no permission to ask, the instance counts as durable. */
async function isEphemeral(client: Client): Promise<boolean> {
  try {
    return (await client.call('GET /_kyclone/info')).storage === 'ephemeral';
  } catch (error) {
    if (error instanceof Error && error.name === 'UnreachableError') throw error;
    if (error instanceof CliError) throw error;
    return false;
  }
}
