/**
 * Encodes an image for terminals that are known to support one of two protocols: kitty's (PNG), or the inline images
 * of iTerm2. The vault's bytes reach the terminal as base64 only; the rest of the sequence is numbers.
 */
export interface Image {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export type TerminalEnvironment = Readonly<Record<string, string | undefined>>;

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The longest piece of base64 that kitty accepts at once. */
const CHUNK = 4096;
/** The cell size of most terminals, in pixels. Only the ratio matters for an image that is too large. */
const CELL = { width: 8, height: 16 } as const;

/**
 * The sequence that shows the image in at most this many cells; undefined if the terminal can't show it, or it is not
 * an image.
 */
export function imageEscape(
  image: Image,
  environment: TerminalEnvironment,
  columns: number,
  rows: number,
): string | undefined {
  const type = imageTypeOf(image.bytes);
  if (type === undefined || type !== bareType(image.contentType)) return undefined;
  if (columns < 1 || rows < 1) return undefined;
  switch (protocolOf(environment)) {
    case 'kitty':
      return type === 'image/png' ? kitty(image.bytes, columns, rows) : undefined;
    case 'inline':
      return inline(image.bytes, columns, rows);
    case undefined:
      return undefined;
  }
}

/** The image type according to the bytes; undefined for types that are not shown. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

/** A content type without its parameters. */
export function bareType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function canShowImages(environment: TerminalEnvironment): boolean {
  return protocolOf(environment) !== undefined;
}

function protocolOf(environment: TerminalEnvironment): 'kitty' | 'inline' | undefined {
  const { TERM = '', TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID, TMUX, STY } = environment;
  // A multiplexer that can't show images runs inside the terminal, whatever the outer terminal left in the
  // environment.
  if (isSet(TMUX) || isSet(STY) || /^(?:screen|tmux)/.test(TERM)) return undefined;
  if (isSet(KITTY_WINDOW_ID) || TERM === 'xterm-kitty' || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' || LC_TERMINAL === 'iTerm2') return 'inline';
  return undefined;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Sets one dimension only, so that the other follows in proportion. With `q=2` the terminal sends no reply, which
 * would arrive as keys.
 */
function kitty(bytes: Uint8Array, columns: number, rows: number): string | undefined {
  const size = pngSize(bytes);
  if (size === undefined) return undefined;
  const natural = { columns: size.width / CELL.width, rows: size.height / CELL.height };
  const scale = Math.min(1, columns / natural.columns, rows / natural.rows);
  const isWide = columns / natural.columns <= rows / natural.rows;
  const side = isWide
    ? `c=${Math.max(1, Math.floor(natural.columns * scale))}`
    : `r=${Math.max(1, Math.floor(natural.rows * scale))}`;
  const data = base64(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < data.length; at += CHUNK) {
    const control = at === 0 ? `a=T,f=100,q=2,${side},` : '';
    const more = at + CHUNK < data.length ? 1 : 0;
    pieces.push(`\x1b_G${control}m=${more};${data.slice(at, at + CHUNK)}\x1b\\`);
  }
  return pieces.join('');
}

function inline(bytes: Uint8Array, columns: number, rows: number): string {
  const members = `inline=1;size=${bytes.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${members}:${base64(bytes)}\x07`;
}

/** Reads the header chunk, which comes first. */
function pngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (bytes.length < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
