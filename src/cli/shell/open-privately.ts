/**
 * Opens an address that contains a token. Every user of the machine can read the arguments of a desktop's opener. So
 * the opener gets the address of a page of this process, which redirects to the real one. That page is served once.
 * If the system reveals the owner of a connection (Linux), it is served only to this user and root.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { encode } from 'uqr';
import { LOOPBACK_HOSTS } from '../../nouns/requests/facts.ts';
import { canRedraw, wantsColour } from './environment.ts';
import { openPage, type Viewer } from './open-page.ts';

interface LinkOptions {
  /** Whether the output is text for people, not data. */
  readonly isForPeople: boolean;
  readonly hasDesktop: boolean;
  readonly print: (text: string) => void;
  readonly note: (text: string) => void;
}

/**
 * Opens a page whose address contains a token: in a browser, if there is a desktop. On a terminal it also shows a QR
 * code for a phone, if a phone can reach the instance.
 */
export async function openLink(
  link: string,
  { isForPeople, hasDesktop, print, note }: LinkOptions,
): Promise<void> {
  if (isForPeople && canRedraw(process.stdout)) {
    const shown = phoneLink(link, {
      // 0 if the terminal doesn't report its width.
      columns: process.stdout.columns || undefined,
      hasColour: wantsColour(process.stdout),
    });
    if (shown && 'code' in shown) print(shown.code);
    else if (shown) note(shown.note);
  }
  await openPrivately(link, { seesBrowser: isForPeople && hasDesktop, note });
}

// A QR code for a phone's camera, drawn with half blocks in black on white, whatever the terminal's colours are.

/** The white margin in modules, which the standard requires. */
const QUIET_ZONE = 4;
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';
/** By the upper and the lower module of a cell, black or not. */
const CELLS = { none: ' ', upper: '▀', lower: '▄', both: '█' } as const;

/**
 * `columns`: the width of the terminal; undefined if unknown. Returns undefined if the code is wider. Without colour,
 * the code is drawn for a dark terminal, where printed blocks are light.
 */
function qrCode(
  text: string,
  { columns, hasColour }: { columns: number | undefined; hasColour: boolean },
): string | undefined {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  if (columns !== undefined && columns < size) return undefined;
  const isDrawn = (row: number, column: number) => (data[row]?.[column] ?? false) === hasColour;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    let line = '';
    for (let column = 0; column < size; column += 1) {
      const [upper, lower] = [isDrawn(row, column), isDrawn(row + 1, column)];
      line += upper ? (lower ? CELLS.both : CELLS.upper) : lower ? CELLS.lower : CELLS.none;
    }
    lines.push(hasColour ? `${BLACK_ON_WHITE}${line}${RESET}` : line);
  }
  return lines.join('\n');
}

/** Wildcard addresses, which a phone can't connect to. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** `note` explains a missing code that the user may expect. Undefined if nothing is meant for a phone. */
export function phoneLink(
  link: string,
  terminal: { readonly columns: number | undefined; readonly hasColour: boolean },
): { readonly code: string } | { readonly note: string } | undefined {
  const { hostname } = new URL(link);
  if (LOOPBACK_HOSTS.includes(hostname) || /^127\./.test(hostname)) return undefined;
  if (EVERY_ADDRESS.has(hostname)) {
    return {
      note: 'No QR code: the instance listens on every address, and a phone needs one of them. Start it with --host ADDRESS',
    };
  }
  const code = qrCode(link, terminal);
  return code === undefined ? { note: 'No QR code: the terminal is too narrow for it' } : { code };
}

/** A browser that has not connected by then was not started. */
const WAIT_MS = 10_000;
const LOOPBACK = '127.0.0.1';
const ROOT = 0;

/** What only this user's browser gets. */
export interface PrivateFile {
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Whether a browser was led there; it returns once it was. */
export async function openPrivately(address: string, viewer: Viewer): Promise<boolean> {
  return await answerOnce((response) => {
    response.writeHead(303, { ...HEADERS, location: address }).end();
    return Promise.resolve();
  }, viewer);
}

/**
 * Whether a browser was shown the file. It is read when the browser has come, not before. Rejects with what `read`
 * rejects with.
 */
export async function showPrivately(read: () => Promise<PrivateFile>, viewer: Viewer): Promise<boolean> {
  let failure: { readonly error: unknown } | undefined;
  const isAnswered = await answerOnce(async (response) => {
    try {
      const { contentType, content } = await read();
      response.writeHead(200, { ...HEADERS, ...SHOWN_HEADERS, 'content-type': contentType });
      await pipeline(content, response);
    } catch (error) {
      failure = { error };
      if (response.headersSent) response.destroy();
      else response.writeHead(502, HEADERS).end();
    }
  }, viewer);
  if (failure !== undefined) throw failure.error;
  return isAnswered;
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
} as const;
/** A file of a vault is looked at, and runs nothing. */
const SHOWN_HEADERS = {
  'content-disposition': 'inline',
  'content-security-policy': "sandbox; default-src 'none'; img-src 'self'",
  'x-content-type-options': 'nosniff',
} as const;

/** Whether a browser of this user came, once; it returns after the answer. */
async function answerOnce(
  respond: (response: ServerResponse) => Promise<void>,
  viewer: Viewer,
): Promise<boolean> {
  if (!viewer.seesBrowser) return false;
  let isLed = false;
  const path = `/${randomBytes(24).toString('base64url')}`;
  const server = createServer((request, response) => {
    void judged(request, path).then(async (refusal) => {
      // A second one, while the first is answered, gets nothing.
      if (refusal !== undefined || isLed) {
        response.writeHead(refusal ?? 404, HEADERS).end();
        return;
      }
      isLed = true;
      clearTimeout(timer);
      await respond(response);
      server.close();
    });
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const closed = once(server, 'close');
  const { port } = server.address() as AddressInfo;
  const timer = setTimeout(() => server.close(), WAIT_MS);
  try {
    if (!(await openPage(`http://${LOOPBACK}:${port}${path}`, viewer))) return false;
    await closed;
    return isLed;
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
}

/** The status of a refusal; undefined for the one who is answered. */
async function judged(request: IncomingMessage, path: string): Promise<number | undefined> {
  const [asked, wanted] = [Buffer.from(request.url ?? ''), Buffer.from(path)];
  const isPath = asked.length === wanted.length && timingSafeEqual(asked, wanted);
  const { localPort = 0, remotePort = 0 } = request.socket;
  if (!isPath || request.method !== 'GET' || request.headers.host !== `${LOOPBACK}:${localPort}`) return 404;
  const uid = await ownerOf({ from: remotePort, to: localPort });
  return uid === undefined || uid === ROOT || uid === process.getuid?.() ? undefined : 403;
}

/** The user id at the other end of a loopback connection; undefined if the system doesn't reveal it. */
async function ownerOf({ from, to }: { from: number; to: number }): Promise<number | undefined> {
  const table = await readFile('/proc/net/tcp', 'utf8').catch(() => undefined);
  if (table === undefined) return undefined;
  return ownerIn(table, { from, to });
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** `table`: in the format of Linux's /proc/net/tcp. Returns -1 if the connection is not in it. */
export function ownerIn(table: string, { from, to }: { from: number; to: number }): number {
  const ends = `0100007F:${hex(from)} 0100007F:${hex(to)}`;
  const line = table.split('\n').find((each) => each.includes(ends));
  return line === undefined ? -1 : Number(line.trim().split(/\s+/)[7]);
}
