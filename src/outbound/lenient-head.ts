/**
 * The socket of a call, with heads of its answer in the one spelling that Node's parser takes. The target has acted when
 * it answers, so what common clients read must not be lost (contract §3.3, Response): line ends without a carriage
 * return, a folded line, a length that is given twice alike, a length beside chunks, which count then (RFC 9112 §6.3).
 * Lengths that differ stay, and are refused by the parser. The body passes unchanged.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const START = Buffer.from('HTTP/');
const HEAD_END = /\r?\n\r?\n/;
const INFORMATIONAL = /^HTTP\/\d\.\d 1(?!01)\d\d\b/;
const FOLD = /\r?\n[ \t]+/g;
/** The longest end of a head, less one byte. */
const END_OVERLAP_BYTES = 3;

/** `limitBytes`: a longer head passes unchanged, for the parser to refuse. */
export function withLenientHead(socket: Socket, limitBytes: number): Duplex {
  return new LenientHead(socket, limitBytes);
}

class LenientHead extends Duplex {
  readonly #socket: Socket;
  readonly #limitBytes: number;
  /** The beginning of a head; undefined in the body. */
  #head: Buffer | undefined = Buffer.alloc(0);
  /** How much of it was searched for its end. */
  #searchedBytes = 0;
  #hasEnded = false;

  constructor(socket: Socket, limitBytes: number) {
    super();
    this.#socket = socket;
    this.#limitBytes = limitBytes;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      if (this.#head !== undefined && this.#head.length > 0) this.push(this.#head);
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!this.#hasEnded) this.destroy();
    });
  }

  #take(chunk: Buffer): void {
    if (this.#head === undefined) {
      if (!this.push(chunk)) this.#socket.pause();
      return;
    }
    this.#head = Buffer.concat([this.#head, chunk]);
    while (this.#head.length > 0) {
      const begins = this.#head.subarray(0, START.length);
      const from = Math.max(0, this.#searchedBytes - END_OVERLAP_BYTES);
      const end = HEAD_END.exec(this.#head.toString('latin1', from, this.#limitBytes));
      this.#searchedBytes = this.#head.length;
      const isOther = !START.subarray(0, begins.length).equals(begins);
      if (isOther || (!end && this.#head.length > this.#limitBytes)) {
        this.#passOn();
        return;
      }
      if (!end) return;
      const rest: Buffer = this.#head.subarray(from + end.index + end[0].length);
      const head = this.#head.toString('latin1', 0, from + end.index);
      this.#searchedBytes = 0;
      this.push(Buffer.from(mended(head), 'latin1'));
      this.#head = rest;
      if (!INFORMATIONAL.test(head)) {
        this.#passOn();
        return;
      }
    }
  }

  /** The rest needs no reading. */
  #passOn(): void {
    const rest = this.#head;
    this.#head = undefined;
    if (rest !== undefined && rest.length > 0) this.push(rest);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  /** The head of the request and its body go out together. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function mended(head: string): string {
  const [status = '', ...lines] = head.replace(FOLD, ' ').split(/\r?\n/);
  const lengths = new Set(
    lines.flatMap(
      (line) =>
        valueOf(line, 'content-length')
          ?.split(',')
          .map((length) => length.trim()) ?? [],
    ),
  );
  const codings = lines.flatMap((line) => valueOf(line, 'transfer-encoding')?.toLowerCase() ?? []);
  const isChunked = codings.includes('chunked');
  const isClear = isChunked || lengths.size === 1;
  const others = lines.filter((line) => {
    // A transfer encoding that says that there is none.
    if (valueOf(line, 'transfer-encoding')?.toLowerCase() === 'identity') return false;
    return !isClear || valueOf(line, 'content-length') === undefined;
  });
  const length = isClear && !isChunked ? [`content-length: ${[...lengths].join('')}`] : [];
  return [status, ...others, ...length, '', ''].join('\r\n');
}

/** The value of a header line, if it has this name. */
function valueOf(line: string, name: string): string | undefined {
  const isNamed = line.charAt(name.length) === ':' && line.slice(0, name.length).toLowerCase() === name;
  return isNamed ? line.slice(name.length + 1).trim() : undefined;
}
