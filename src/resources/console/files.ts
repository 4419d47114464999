/** The files of the console's page, compressed once and kept for the life of the process (contract §11.1). */
import { promisify } from 'node:util';
import type { ConsoleFile } from '../../contract/facts/console.ts';
import type { Answer } from '../../contract/handler.ts';

export type ReadConsoleFile = (name: ConsoleFile) => Promise<Uint8Array>;

const CONTENT_TYPES: Readonly<Record<ConsoleFile, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
};

/** Nothing but the page's own files and calls to this instance; pictures are made by the script. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONSOLE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), payment=()',
  'x-frame-options': 'DENY',
  vary: 'accept-encoding',
} as const;

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number] | 'identity';

/** Returns a file of the page in an encoding that the browser accepts. */
export function createConsoleFiles(
  read: ReadConsoleFile,
): (name: ConsoleFile, rawHeaders: readonly string[]) => Promise<Answer<Uint8Array>> {
  const kept = new Map<string, Promise<Uint8Array>>();

  function keep(name: ConsoleFile, encoding: Encoding): Promise<Uint8Array> {
    const place = `${name} ${encoding}`;
    const known = kept.get(place);
    if (known) return known;
    const made = read(name).then(async (bytes) => await compressed(bytes, encoding));
    kept.set(place, made);
    // A file that can't be read now may be there later.
    made.catch(() => kept.delete(place));
    return made;
  }

  return async (name, rawHeaders) => {
    const accepted = headerOf(rawHeaders, 'accept-encoding');
    const encoding = ENCODINGS.find((each) => accepts(accepted, each)) ?? 'identity';
    const body = await keep(name, encoding);
    const headers = { ...HEADERS, 'content-type': CONTENT_TYPES[name] };
    return encoding === 'identity'
      ? { headers, body }
      : { headers: { ...headers, 'content-encoding': encoding }, body };
  };
}

async function compressed(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === 'identity') return bytes;
  // Not imported above, since every start would pay for it.
  const zlib = await import('node:zlib');
  return await promisify(encoding === 'br' ? zlib.brotliCompress : zlib.gzip)(bytes);
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name = '', weight] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !/^q=0(?:\.0*)?$/.test(weight ?? '');
  });
}

/** All values of a header by its lower-case name. */
export function headerOf(rawHeaders: readonly string[], name: string): string {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name).join(', ');
}
