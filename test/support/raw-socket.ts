/** Sends bytes over a real socket that an HTTP client would not send. */
import { connect } from 'node:net';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Sends `bytes` and returns everything that comes back, until the server closes or `isEnough` returns true. */
export function exchangeBytes(
  { host, port }: Endpoint,
  bytes: string | Buffer,
  isEnough: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host, port }, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (isEnough(received)) socket.destroy();
    });
    socket.on('close', () => resolve(received));
    // Some tests make the server close while the client writes.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

/** Sends `bytes` and disconnects without waiting for an answer. */
export function sendAndLeave({ host, port }: Endpoint, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => socket.write(bytes, () => socket.destroy()));
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Parses the answers that a connection received. Each has a content-length. */
export function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = Buffer.from(received); rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no complete answer in ${JSON.stringify(rest.toString())}`);
    const [start = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
    const length = Number(headers['content-length'] ?? 0);
    const text = rest.subarray(end + 4, end + 4 + length).toString('utf8');
    rest = rest.subarray(end + 4 + length);
    if (status !== 100) answers.push({ status, headers, text });
  }
  return answers;
}
