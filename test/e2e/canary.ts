/** A value nobody else has, the forms in which it could slip out, and the search for them in every file. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../src/storage/binding.ts';
import { startKycloned, tempDir, type Kycloned } from '../support/kycloned.ts';

export const WORD = 'Zyxwvcanary';
/** Where only digits are allowed. */
export const DIGITS = '903517264';
export const CARD = '4929035172648806';
export const PHONE = '+14155903517264';
export const MAIL = `${WORD}@${WORD.toLowerCase()}.example`;

/** The forms of a text in which a careless program could have written it. */
export function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) => {
    // What stands before decides how a text falls into groups of six bits: one form for each shift, edges cut off.
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

interface FileContent {
  readonly file: string;
  readonly content: Buffer;
}

/** All that is there at one time: a running daemon puts new files in the place of old ones. */
export function contentsBelow(folder: string): FileContent[] {
  const contents = filesBelow(folder).map(contentOf);
  return contents.every((each) => each !== undefined) ? contents : contentsBelow(folder);
}

function contentOf(file: string): FileContent | undefined {
  try {
    return { file, content: readFileSync(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The files in which a form stands, by name. */
export function leaksBelow(folder: string, forms: readonly Buffer[] = FORMS): string[] {
  return contentsBelow(folder).flatMap(({ file, content }) => leaksIn(file, content, forms));
}

export function leaksIn(place: string, content: Buffer, forms: readonly Buffer[] = FORMS): string[] {
  return forms.filter((form) => content.includes(form)).map((form) => `${place}: ${form.toString('latin1')}`);
}

/** The files below a folder in which a secret stands. */
export function filesWith(folder: string, secret: string): string[] {
  return contentsBelow(folder)
    .filter(({ content }) => content.includes(secret))
    .map(({ file }) => file.slice(folder.length + 1));
}

/** The sealed bytes that a query finds in the store of a daemon that is stopped. */
export function sealedIn(daemon: Kycloned, query: string): Buffer[] {
  const store = openBinding(daemon.paths.storeFile, { readonly: true });
  try {
    return (store.prepare(query).pluck().all() as Uint8Array[]).map((bytes) => Buffer.from(bytes));
  } finally {
    store.close();
  }
}

/** How many of these stand in a file below the folder. */
export function countKept(folder: string, sealed: readonly Buffer[]): number {
  const contents = contentsBelow(folder);
  return sealed.filter((bytes) => contents.some(({ content }) => content.includes(bytes))).length;
}

export interface Stage {
  readonly home: string;
  readonly start: () => Promise<Kycloned>;
}

/** The daemon writes its log, its temporary files and everything else below one folder. */
export function aStage(...options: string[]): Stage {
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
