/** A unique value, the forms in which it could leak, and the search for them in every file. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';

export const WORD = 'Zyxwvcanary';
/** The canary for places that allow only digits. */
export const DIGITS = '903517264';
export const CARD = '4929035172648806';
export const PHONE = '+14155903517264';
export const MAIL = `${WORD}@${WORD.toLowerCase()}.example`;

/** Returns the forms in which a careless program could have written a text. */
export function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) => {
    // The bytes before a text decide how it falls into groups of six bits. Each shift has its own form, and both edges
    // are cut off.
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const texts = [text, text.toLowerCase(), text.toUpperCase()];
  return [
    ...texts.flatMap((form) => [Buffer.from(form, 'utf8'), Buffer.from(form, 'utf16le')]),
    ...inBase64.map((form) => Buffer.from(form)),
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('hex').toUpperCase()),
    Buffer.from(encodeURIComponent(text)),
  ];
}

export const FORMS = [WORD, DIGITS, CARD, PHONE, MAIL].flatMap(formsOf);

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the contents of all files at one moment. It retries when a running daemon replaces a file meanwhile. */
export function contentsBelow(folder: string): { file: string; content: Buffer }[] {
  const contents = filesBelow(folder).map(contentOf);
  return contents.every((each) => each !== undefined) ? contents : contentsBelow(folder);
}

function contentOf(file: string) {
  try {
    return { file, content: readFileSync(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the names of the files that contain a form. */
export function leaksBelow(folder: string, forms: readonly Buffer[] = FORMS): string[] {
  return contentsBelow(folder).flatMap(({ file, content }) => leaksIn(file, content, forms));
}

export function leaksIn(place: string, content: Buffer, forms: readonly Buffer[] = FORMS): string[] {
  return forms.filter((form) => content.includes(form)).map((form) => `${place}: ${form.toString('latin1')}`);
}

/** Returns the files below a folder that contain a secret. */
export function filesWith(folder: string, secret: string): string[] {
  return contentsBelow(folder)
    .filter(({ content }) => content.includes(secret))
    .map(({ file }) => file.slice(folder.length + 1));
}

/** Returns the sealed bytes that a query finds in the store of a stopped daemon. */
export function sealedIn(daemon: Kycloned, query: string): Buffer[] {
  const store = openBinding(daemon.paths.storeFile, { readonly: true });
  try {
    return (store.prepare(query).pluck().all() as Uint8Array[]).map((bytes) => Buffer.from(bytes));
  } finally {
    store.close();
  }
}

/** Returns how many of these sealed values are in a file below the folder. */
export function countKept(folder: string, sealed: readonly Buffer[]): number {
  const contents = contentsBelow(folder);
  return sealed.filter((bytes) => contents.some(({ content }) => content.includes(bytes))).length;
}

/** Prepares a daemon that writes its log, its temporary files and everything else below one folder. */
export function aStage(...options: string[]) {
  const home = tempDir();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    home,
    start: () =>
      startKycloned({
        home,
        options: ['--log-file', join(home, 'daemon.log'), ...options],
        environment: { TMPDIR: temporary },
      }),
  };
}
