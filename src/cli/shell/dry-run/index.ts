/**
 * `--dry-run`: the request that a command would send, as a curl command. Nothing is sent, reads neither: the first
 * request ends the command. Credentials appear as variables; values only where they are asked for.
 */
import { withoutLastSlashes } from '../../../kernel/base-url.ts';
import { API_KEY, BASE_URL, CONTROL_TOKEN, curlCommand } from '../../../client/curl.ts';
import type { UnsentRequest } from '../../../client/unsent.ts';
import type { DaemonAccess } from '../daemon-access.ts';
import { describeFailure } from '../failure.ts';
import { EXIT } from '../exit-codes.ts';
import { maskRequest } from './masked.ts';

/** What a command sees of a daemon that is not spoken to. No credential of it is one, and its address leads nowhere. */
export const UNSPOKEN: DaemonAccess = {
  baseUrl: 'http://kyclone.invalid',
  keys: { sandbox: 'none', live: 'none' },
  controlToken: 'none',
  locator: undefined,
};

/** The address of the daemon, undefined when none is there. */
export async function addressOf(access: () => Promise<DaemonAccess>): Promise<string | undefined> {
  try {
    return (await access()).baseUrl;
  } catch (error) {
    if (describeFailure(error).exitCode === EXIT.unreachable) return undefined;
    throw error;
  }
}

/** A request as JSON has it. */
export interface Described {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface DryRun {
  readonly result: { readonly requests: readonly Described[] };
  readonly curl: string;
  /** For people, beside it. */
  readonly notes: readonly string[];
}

export function describeUnsent(
  unsent: UnsentRequest,
  { baseUrl, withValues, isLive }: { baseUrl: string | undefined; withValues: boolean; isLive: boolean },
): DryRun {
  const masked = maskRequest(unsent);
  const request = withValues ? unsent : masked.request;
  return {
    result: { requests: [described(request, baseUrl)] },
    curl: curlCommand(request, baseUrl),
    notes: [
      'Nothing was sent. Of a command that goes on by what is answered, this is the first request.',
      ...(masked.isMasked && !withValues ? ['Values are shown as ***; --with-values prints them.'] : []),
      ...(isLive && unsent.credential === 'key' ? [`KYCLONE_API_KEY is to be the live key: ${LIVE}`] : []),
    ],
  };
}

const LIVE = 'eval "$(kyclone env --live)"';

function described(
  { method, path, headers, credential, body, file }: UnsentRequest,
  baseUrl?: string,
): Described {
  const authorization = credential === 'key' ? `Basic ${API_KEY}:` : `Bearer ${CONTROL_TOKEN}`;
  return {
    method,
    url: withoutLastSlashes(baseUrl ?? BASE_URL) + path,
    headers: { ...(credential !== 'none' && { authorization }), ...headers },
    ...(body !== undefined && { body: parsed(body) }),
    ...(file !== undefined && { body: { file: file.path ?? '-' } }),
  };
}

/** JSON as what it is; any other text as it is, bytes in base64. */
function parsed(body: string | Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return Buffer.from(text, 'utf8').equals(Buffer.from(body))
      ? text
      : { base64: Buffer.from(body).toString('base64') };
  }
}
