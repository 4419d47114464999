/** Prints a call as a curl command for sh. The dry run, the docs page and the demo share it. */
export const API_KEY = '$KYCLONE_API_KEY';
export const CONTROL_TOKEN = '$KYCLONE_CONTROL_TOKEN';

export interface CurlCall {
  /** Options of curl that precede all others. */
  readonly options?: readonly string[];
  /** In upper case. */
  readonly method: string;
  /** Leaves out the method because another option implies it. */
  readonly isMethodGiven?: boolean;
  /** A word of sh, already quoted. */
  readonly url: string;
  /** Which variable of `kyclone env` holds the credential. */
  readonly credential: 'key' | 'control' | undefined;
  /** Words of sh, already quoted: `'x-external-id: jane'`. */
  readonly headers: readonly string[];
  /** Options of curl for the body and the response. */
  readonly body: readonly string[];
}

/** Prints the command on several lines; another `separator` puts it on one. */
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
