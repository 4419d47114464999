/**
 * Shared flags of the `kyclone compare` commands: the remote and its key, the scenarios, and the known differences.
 */
import { isIP } from 'node:net';
import { string } from '@oclif/core/flags';
import type { Got, Method, OptionsInit, Response } from 'got';
import type { RawRequest } from '../../client/client.ts';
import { authorization } from '../../client/credentials.ts';
import { CLIENT_TOKEN_HEADER } from '../../contract/facts/credentials.ts';
import { ENDPOINT_METHODS, JSON_TYPE } from '../../nouns/requests/facts.ts';
import { defined } from '../../kernel/defined.ts';
import { CREDENTIAL_PREFIX } from '../../kernel/ids/ids.ts';
import { withoutLastSlashes } from '../../kernel/text/text.ts';
import { DAY_MS, MIB, MINUTE_MS, SECOND_MS } from '../../kernel/numbers/units.ts';
import { readSet } from '../fixtures/set.ts';
import type { From } from '../shell/derived.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import { type FlagValues, repeatable } from '../shell/flags.ts';
import { hiddenSource, type InputSource } from '../shell/input.ts';
import { byDefault, durationFlag } from '../shell/times.ts';
import type { PlayedScenario, PlayedSide } from './play.ts';
import { givenVariables } from './scenarios.ts';

// The sandbox to compare the emulator with. Sends only a sandbox key, over https or to this machine. Treats a
// redirect as a response and does not follow it. After a 429, waits as long as the remote asks.

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 16 * MIB;
const ATTEMPTS = 6;
/** Without a retry-after header: one second, doubled each time. */
const FIRST_WAIT_MS = 1000;
const UNAVAILABLE = [502, 503, 504];

/** Throws UsageError, which contains nothing of the address. */
function remoteAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('--remote takes an address, such as https://sandbox.example');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      '--remote takes an address without user, query and fragment',
      'the key is read from $KYCLONE_REMOTE_API_KEY, or from --remote-key',
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError('--remote must begin with https://: over http:// others could read the key');
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Refuses a literal key, which would be visible in the process list. Throws UsageError and InputNeededError. */
async function remoteKey(
  source: string | undefined,
  environment: Pick<CliEnvironment, 'remoteApiKey'>,
  input: InputSource,
): Promise<string> {
  const hidden = hiddenSource('--remote-key', 'KYCLONE_REMOTE_API_KEY', source);
  const known = source === undefined ? environment.remoteApiKey : undefined;
  const key = known ?? (await input.secret(hidden, 'Sandbox key of the remote (--remote-key)'));
  return requireSandboxKey(key);
}

/** Checks the key before anything is sent. Throws CliError and UsageError, which contain nothing of the key. */
function requireSandboxKey(key: string): string {
  if (key.startsWith(CREDENTIAL_PREFIX.live)) {
    throw new CliError('The key of the remote is a live key; nothing was sent', {
      code: 'live_key_refused',
      hint: `scenarios write made-up data: use a sandbox key, which begins with ${CREDENTIAL_PREFIX.sandbox}`,
    });
  }
  if (key.startsWith(CREDENTIAL_PREFIX.sandbox) && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    `The key of the remote is not a sandbox key; nothing was sent`,
    `a sandbox key begins with ${CREDENTIAL_PREFIX.sandbox}`,
  );
}

interface RemoteOptions {
  readonly url: URL;
  readonly key: string;
  readonly maxWaitSeconds: number;
  readonly onWait: (seconds: number) => void;
}

async function remoteSide({ url, key, maxWaitSeconds, onWait }: RemoteOptions): Promise<PlayedSide> {
  const { got } = await import('got');
  const client = patientClient(got, { maxWaitMs: maxWaitSeconds * 1000, onWait });
  const base = withoutLastSlashes(url.href);
  return {
    async send(request) {
      const answer = await exchange(client, `${base}${request.path}`, request, key);
      const { statusCode: status, headers, rawBody: body } = answer;
      if (
        status === 401 &&
        request.as === undefined &&
        request.headers?.[CLIENT_TOKEN_HEADER] === undefined
      ) {
        throw new CliError('The remote refuses the key (401)', {
          code: 'remote_key_refused',
          hint: 'check the key and the address of --remote',
        });
      }
      if (status === 429) return { skipped: 'the remote reported too many requests (429)' };
      if (UNAVAILABLE.includes(status)) return { skipped: `the remote was not available (${status})` };
      refuseLive(answer);
      return { status, headers, body };
    },
  };
}

/** Stops if the remote reports its live environment. */
function refuseLive({ headers, rawBody }: Response<Buffer>): void {
  if (
    !JSON_TYPE.test(headers['content-type'] ?? '') ||
    !/"is_live"\s*:\s*true/.test(rawBody.toString('utf8'))
  )
    return;
  throw new CliError('The remote reports its live environment; no more requests are sent', {
    code: 'live_key_refused',
    hint: 'use a sandbox key of the remote',
  });
}

function patientClient(
  got: Got,
  { maxWaitMs, onWait }: { maxWaitMs: number; onWait: (seconds: number) => void },
): Got {
  return got.extend({
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: TIMEOUT_MS },
    headers: { 'user-agent': 'kyclone-compare' },
    retry: {
      limit: ATTEMPTS - 1,
      // A request refused with 429 had no effect, whatever its method. No other request is sent twice.
      methods: [...ENDPOINT_METHODS],
      statusCodes: [429],
      errorCodes: [],
      calculateDelay: ({ attemptCount, retryAfter, computedValue }) => {
        if (computedValue === 0) return 0;
        const wait = Math.max(retryAfter ?? FIRST_WAIT_MS * 2 ** (attemptCount - 1), 1);
        if (wait > maxWaitMs) return 0;
        onWait(Math.ceil(wait / 1000));
        return wait;
      },
    },
  });
}

async function exchange(
  client: Got,
  url: string,
  { method, headers = {}, body, as }: RawRequest,
  key: string,
): Promise<Response<Buffer>> {
  // No path needs another credential: the remote has no control plane.
  const credential = authorization({ path: '', headers, ...defined({ as }) }, { baseUrl: '', apiKey: key });
  const options: OptionsInit = {
    method: method as Method,
    headers: { ...headers, ...credential },
    ...defined({ body: body as string | Uint8Array | undefined }),
  };
  try {
    const pending = client(url, {
      ...options,
      responseType: 'buffer',
      isStream: false,
      resolveBodyOnly: false,
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > MOST_BYTES) pending.cancel();
    });
    return await pending;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(`The remote does not respond (${code ?? 'failed'})`, {
      code: 'remote_unreachable',
      hint: 'finished scenarios are kept in the transcript; --resume continues from there',
    });
  }
}

const MAX_WAIT_MS = 2 * MINUTE_MS;

export const scenarioFlags = {
  scenario: string({
    summary:
      'scenario to play: a file, or a built-in one by its name; repeatable (default: all built-in ones)',
    helpValue: 'NAME|FILE',
    ...repeatable,
  }),
};

export const emulatorFlags = {
  ...scenarioFlags,
  set: string({
    summary: 'a variable of the scenarios, for the emulator; repeatable',
    helpValue: 'NAME=VALUE',
    ...repeatable,
  }),
  allow: string({
    summary: 'known differences, one per line, as --output id prints them; * matches any text',
    helpValue: 'FILE',
  }),
};

export const remoteFlags = {
  remote: string({
    summary: 'address of the sandbox to compare with: https, or this machine',
    required: true,
    helpValue: 'URL',
  }),
  'remote-key': string({
    summary:
      'its sandbox key: - for stdin, @FILE, ? for a prompt without echo; default: $KYCLONE_REMOTE_API_KEY',
    helpValue: '@FILE|-',
  }),
  'remote-set': string({
    summary: 'a variable of the scenarios, for the remote; repeatable',
    helpValue: 'NAME=VALUE',
    ...repeatable,
  }),
  'max-wait': durationFlag({
    summary: 'longest wait after the remote reported too many requests',
    max: DAY_MS,
    ...byDefault(MAX_WAIT_MS),
  }),
};

/**
 * Checks everything before it sends anything. `secrets` must not appear in any file. Throws UsageError, CliError and
 * InputNeededError.
 */
export async function openRemote(
  flags: FlagValues<typeof remoteFlags>,
  scenarios: readonly PlayedScenario[],
  { environment, input, note }: Pick<From, 'environment' | 'input' | 'note'>,
) {
  const url = remoteAddress(flags.remote);
  const set = givenVariables(scenarios, readSet(flags['remote-set'] ?? [], '--remote-set'));
  const key = await remoteKey(flags['remote-key'], environment, input);
  const side = await remoteSide({
    url,
    key,
    maxWaitSeconds: flags['max-wait'] / SECOND_MS,
    onWait: (seconds) => note(`The remote reports too many requests; waiting ${seconds} s`),
  });
  return { side, set, secrets: [key] };
}
