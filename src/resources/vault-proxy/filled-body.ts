/** A body with its values inserted; files are read while they are sent. */
import { wholeOf, type Streamed, type StreamedText } from '../../kernel/streamed-text.ts';

export type FilledBody = Buffer | Streamed;

export function streams(body: FilledBody): body is Streamed {
  return 'pieces' in body;
}

/** A single buffer when there are no files. */
export function joined(parts: readonly FilledBody[]): FilledBody {
  const whole = parts.filter((part) => !streams(part)) as Buffer[];
  if (whole.length === parts.length) return Buffer.concat(whole);
  return {
    byteLength: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    async *pieces() {
      for (const part of parts) {
        if (streams(part)) yield* part.pieces();
        else yield part;
      }
    },
  };
}

export async function wholeBody(body: FilledBody): Promise<Buffer> {
  return streams(body) ? wholeOf(body) : body;
}

const FORM_MARKS = /[+/=]/g;

/** Base64 in form encoding. */
export function formEncoded(text: StreamedText): Streamed {
  return {
    byteLength: text.byteLength + 2 * text.marks,
    async *pieces() {
      for await (const piece of text.pieces()) {
        yield Buffer.from(piece.toString('latin1').replace(FORM_MARKS, encodeURIComponent), 'latin1');
      }
    },
  };
}
