/** A call as a curl command for sh, which is the same wherever one is printed: the dry run, the docs page, the demo. */
export const API_KEY = '$KYCLONE_API_KEY';
export const CONTROL_TOKEN = '$KYCLONE_CONTROL_TOKEN';

export interface CurlCall {
  /** Words of curl that stand before all others. */
  readonly options?: readonly string[];
  /** In capitals. */
  readonly method: string;
  /** The method is left out, because something else says it. */
  readonly isMethodGiven?: boolean;
  /** A word of sh, quoted already. */
  readonly url: string;
  /** The variables of `kyclone env` stand for it. */
  readonly credential: 'key' | 'control' | undefined;
  /** Words of sh, quoted already: `'x-external-id: jane'`. */
  readonly headers: readonly string[];
  /** Words of curl for the body and the answer. */
  readonly body: readonly string[];
}

/** On several lines; `separator` puts it on one. */
export function curlText(call: CurlCall, separator = ' \\\n  '): string {
  const { options = [], method, isMethodGiven = method === 'GET', url, credential, headers, body } = call;
  return [
    ['curl', ...options, ...(isMethodGiven ? [] : [`-X ${method}`]), url].join(' '),
    ...(credential === undefined ? [] : [CREDENTIAL_WORDS[credential]]),
    ...headers.map((header) => `-H ${header}`),
    ...body,
  ].join(separator);
}

const CREDENTIAL_WORDS = {
  key: `-u "${API_KEY}:"`,
  control: `-H "authorization: Bearer ${CONTROL_TOKEN}"`,
} as const;
