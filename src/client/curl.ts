/** Writes a request as a curl command for sh. The command sends exactly what kyclone would have sent. */
import { attempt } from '../kernel/attempt.ts';
import { curlText } from '../kernel/text/curl-text.ts';
import { shWord } from '../kernel/text/shell-word.ts';
import { withoutLastSlashes } from '../kernel/text/text.ts';
import type { UnsentRequest } from './unsent.ts';

export const BASE_URL = '$KYCLONE_BASE_URL';

/** If `baseUrl` is undefined, a shell variable stands for it. */
export function curlCommand(request: UnsentRequest, baseUrl: string | undefined): string {
  const { method, path, body } = request;
  const origin = baseUrl === undefined ? `"${BASE_URL}"` : '';
  const url = origin + shWord(withoutLastSlashes(baseUrl ?? '') + path);
  const options = [
    // curl would read these as a range, or as parent folders.
    ...(/[[\]{}]/.test(path) ? ['-g'] : []),
    ...(/\/\.\.?(?:[/?]|$)/.test(path) ? ['--path-as-is'] : []),
    ...(method === 'HEAD' ? ['-I'] : []),
  ];
  const isText = body === undefined || typeof body === 'string' || (isUtf8(body) && !body.includes(0));
  const command = curlText({
    options,
    method,
    ...methodOf(method, request),
    url,
    credential: request.credential === 'none' ? undefined : request.credential === 'key' ? 'key' : 'control',
    headers: headerWords(request),
    body: bodyWords(request, isText),
  });
  return isText ? command : `printf '${octal(body)}' | ${command}`;
}

/** HEAD has an option of its own. A GET with a body needs its method stated. */
function methodOf(method: string, { body, file }: UnsentRequest) {
  if (method === 'HEAD') return { isMethodGiven: true };
  return { isMethodGiven: method === 'GET' && body === undefined && file === undefined };
}

function headerWords({ headers, body, file }: UnsentRequest): string[] {
  const given = Object.entries(headers).filter(([name]) => name !== 'accept' && name !== 'content-length');
  const words = given.map(([name, value]) => shWord(value === '' ? `${name};` : `${name}: ${value}`));
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
  // Otherwise curl would label the body as a form.
  return (body !== undefined || file !== undefined) && !hasType ? [...words, "'content-type:'"] : words;
}

function bodyWords({ body, file }: UnsentRequest, isText: boolean): string[] {
  if (file !== undefined) return [`--data-binary ${shWord(`@${file.path ?? '-'}`)}`];
  if (body === undefined) return [];
  if (!isText) return ['--data-binary @-'];
  // Raw, because a body may begin with an @.
  return [`--data-raw ${shWord(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))}`];
}

function octal(bytes: string | Uint8Array): string {
  return [...Buffer.from(bytes)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function isUtf8(bytes: Uint8Array): boolean {
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) !== undefined;
}
