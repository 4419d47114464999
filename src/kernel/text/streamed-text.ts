/** Bytes of a known length that are produced while they are sent, so that they are never all in memory. */
export interface Streamed {
  readonly byteLength: number;
  /** Starts from the beginning on each call. */
  pieces(): AsyncIterable<Buffer>;
}

/** Stored bytes as base64 text. */
export class StreamedText implements Streamed {
  /** Characters, which equals bytes: none of them needs an escape in JSON. */
  readonly byteLength: number;
  /** How many of them form encoding writes as three characters. */
  readonly marks: number;
  readonly #bytes: () => AsyncIterable<Uint8Array>;

  private constructor(length: number, marks: number, bytes: () => AsyncIterable<Uint8Array>) {
    this.byteLength = length;
    this.marks = marks;
    this.#bytes = bytes;
  }

  /**
   * Reads the bytes once, for their length and to find errors before anything is sent. Each reading calls `bytes`
   * again. Throws what they throw.
   */
  static async of(bytes: () => AsyncIterable<Uint8Array>): Promise<StreamedText> {
    let length = 0;
    let marks = 0;
    for await (const piece of base64(bytes())) {
      length += piece.length;
      marks += countMarks(piece);
    }
    return new StreamedText(length, marks, bytes);
  }

  pieces(): AsyncIterable<Buffer> {
    return base64(this.#bytes());
  }

  async whole(): Promise<string> {
    return (await wholeOf(this)).toString('latin1');
  }
}

export async function wholeOf(streamed: Streamed): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of streamed.pieces()) pieces.push(piece);
  return Buffer.concat(pieces, streamed.byteLength);
}

/** Three bytes make four characters, so the remainder of a piece is carried over to the next. */
const GROUP_BYTES = 3;

async function* base64(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of bytes) {
    const whole = Buffer.concat([rest, piece]);
    const end = whole.length - (whole.length % GROUP_BYTES);
    rest = whole.subarray(end);
    if (end > 0) yield Buffer.from(whole.toString('base64', 0, end), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}

const PLUS = 0x2b;
const SLASH = 0x2f;
const EQUALS = 0x3d;

function countMarks(piece: Buffer): number {
  let marks = 0;
  for (const character of piece) {
    if (character === PLUS || character === SLASH || character === EQUALS) marks += 1;
  }
  return marks;
}
