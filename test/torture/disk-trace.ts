/** The events of a daemon's files and the responses that it sent, in order, read from an strace recording. */
export type DiskEvent =
  | { readonly kind: 'create'; readonly path: string; readonly truncates: boolean }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'answer'; readonly requestId: string };

export const RECORDED_CALLS =
  'openat,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,rename,link,unlink,rmdir,mkdir';

/** Returns the events of a recording below a folder, without failed calls. */
export function readTrace(text: string, folder: string): DiskEvent[] {
  const offsets = new Map<string, number>();
  const unfinished = new Map<string, string>();
  const events: DiskEvent[] = [];
  for (const line of text.split('\n')) {
    const { pid, call } = /^(?<pid>\d+) +(?<call>.*)$/.exec(line)?.groups ?? {};
    if (pid === undefined || call === undefined) continue;
    if (call.endsWith(' <unfinished ...>')) {
      unfinished.set(pid, call.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(?<rest>.*)$/.exec(call)?.groups?.['rest'];
    const whole = resumed === undefined ? call : (unfinished.get(pid) ?? '') + resumed;
    events.push(...eventsOf(whole, offsets));
  }
  return events.filter((event) => event.kind === 'answer' || event.path.startsWith(folder));
}

function eventsOf(call: string, offsets: Map<string, number>): DiskEvent[] {
  const parsed = /^(?<name>\w+)\((?<args>.*)\) += (?<result>\d+)(?<opened><.*>)?/.exec(call)?.groups;
  if (!parsed) return [];
  const { name = '', args = '', result = '', opened } = parsed;
  const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => decoded(hex));
  const [path = '', to = ''] = texts.map((bytes) => bytes.toString('utf8'));
  const { fd = '', file = '' } = /^(?<fd>\d+)<(?<file>[^>]*)>/.exec(args)?.groups ?? {};
  const target = decodedPath(file);
  switch (name) {
    case 'openat': {
      offsets.set(result, 0);
      if (!args.includes('O_CREAT')) return [];
      const created = opened === undefined ? path : decodedPath(opened.slice(1, -1));
      return [{ kind: 'create', path: created, truncates: args.includes('O_TRUNC') }];
    }
    case 'mkdir':
      return [{ kind: 'folder', path }];
    case 'rename':
    case 'link':
      return [{ kind: name, path, to }];
    case 'unlink':
    case 'rmdir':
      return [{ kind: 'remove', path }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', path: target }];
    case 'ftruncate':
      return [{ kind: 'truncate', path: target, length: Number(/, (\d+)$/.exec(args)?.[1]) }];
    case 'pwrite64':
    case 'pwritev': {
      const at = Number(/, (\d+)$/.exec(args)?.[1]);
      return [{ kind: 'write', path: target, at, bytes: Buffer.concat(texts).subarray(0, Number(result)) }];
    }
    default: {
      const bytes = Buffer.concat(texts).subarray(0, Number(result));
      if (!target.startsWith('/')) {
        const ids = bytes.toString('latin1').matchAll(/^x-request-id: (\w+)/gim);
        return [...ids].map(([, requestId = '']) => ({ kind: 'answer' as const, requestId }));
      }
      const at = offsets.get(fd) ?? 0;
      offsets.set(fd, at + bytes.length);
      return [{ kind: 'write', path: target, at, bytes }];
    }
  }
}

function decoded(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** Returns a path from between angle brackets, which may be escaped in hexadecimal. */
function decodedPath(text: string): string {
  return text.startsWith('\\x') ? decoded(text).toString('utf8') : text;
}
