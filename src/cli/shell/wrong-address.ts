/**
 * Failures that come from a wrong address or a taken port, named as such: nothing answers there, another program does,
 * or one of the user's own instances. No credential and no data is sent to find out.
 */
import { randomBytes } from 'node:crypto';
import { discover } from '../../client/discover.ts';
import { MissingCredentialError, UnprovenError, UnreachableError } from '../../client/errors.ts';
import { open, proveDaemon, wholeBody } from '../../client/transport.ts';
import { isSameAddress, locatedInstances } from './daemon-access.ts';
import type { CliEnvironment } from './environment.ts';
import { CliError, describeFailure } from './failure.ts';

/** Read on use: there may be no home. */
type Bases = Pick<CliEnvironment, 'bases'>;

const PROBE_TIMEOUT_MS = 5_000;
const BY_ADDRESS =
  'KYCLONE_BASE_URL names this address; correct it, or choose an instance of yours with --instance NAME';

/** The error itself, or one that names the cause. `address`: where the environment says that the daemon is. */
export async function withCause(
  error: unknown,
  { environment, address }: { readonly environment: Bases; readonly address: string | undefined },
): Promise<unknown> {
  if (error instanceof CliError && error.code === 'port_taken') return await heldPort(error, environment);
  if (address === undefined || !URL.canParse(address)) return error;
  if (error instanceof MissingCredentialError) return await missing(error, address, environment);
  const isOfAddress =
    error instanceof UnreachableError || (error instanceof UnprovenError && !error.isOfDaemon);
  if (!isOfAddress) return error;
  if (error instanceof UnreachableError && (await servesPlainHttp(address))) return plainHttpError(address);
  return withHint(error, BY_ADDRESS);
}

/** A port that a running instance of this user holds. */
async function heldPort(error: CliError, environment: Bases): Promise<CliError> {
  const holder = await ownInstance(environment, (url) =>
    error.message.startsWith(`Port ${url.port} is taken`),
  );
  if (holder === undefined) return error;
  const { code, exitCode, hint = '--port 0 takes a free one' } = error;
  return new CliError(error.message.replace(/is taken.*/, `is taken by your instance ${holder}`), {
    code,
    exitCode,
    hint: `kyclone stop --instance ${holder} frees it; ${hint}`,
  });
}

/** A key is missing only if a daemon is there to use it with. */
async function missing(error: Error, address: string, environment: Bases): Promise<unknown> {
  try {
    await askWhoIsThere(new URL(address));
  } catch (found) {
    if (found instanceof UnreachableError && (await servesPlainHttp(address))) return plainHttpError(address);
    if (found instanceof UnreachableError) return withHint(found, BY_ADDRESS);
    if (!(found instanceof UnprovenError)) return error;
    if (!found.isOfDaemon) return withHint(found, BY_ADDRESS);
  }
  const own = await ownInstance(environment, (url) => isSameAddress(url.href, address));
  return own === undefined
    ? error
    : withHint(error, `it is your instance ${own}: --instance ${own} uses its keys`);
}

/** Always throws: UnprovenError for what answers, UnreachableError if nothing does. The secret is made up. */
async function askWhoIsThere(url: URL): Promise<void> {
  if (url.protocol === 'http:') {
    const token = randomBytes(32).toString('base64url');
    await proveDaemon(url, { kind: 'control_token', token }, PROBE_TIMEOUT_MS);
    return;
  }
  const health = new URL('/_kyclone/health', url);
  const { body } = await open({ method: 'GET', url: health, headers: {}, timeoutMs: PROBE_TIMEOUT_MS });
  const text = (await wholeBody(body)).toString('utf8');
  throw new UnprovenError(url.host, /^\{.*"instance":/s.test(text), url.protocol);
}

/** Whether an https address is one of plain http. */
async function servesPlainHttp(address: string): Promise<boolean> {
  if (new URL(address).protocol !== 'https:') return false;
  try {
    await askWhoIsThere(new URL(address.replace(/^https:/i, 'http:')));
    return true;
  } catch (error) {
    return error instanceof UnprovenError;
  }
}

function plainHttpError(address: string): CliError {
  const { host } = new URL(address);
  return new CliError(`What answers at ${host} speaks http, not https`, {
    code: 'daemon_unreachable',
    hint: `KYCLONE_BASE_URL=http://${host}`,
  });
}

function withHint(error: Error, hint: string): CliError {
  const failure = describeFailure(error);
  return new CliError(failure.message, { ...failure, hint });
}

/** The running instance of this user whose address is the one that is meant. */
async function ownInstance(environment: Bases, isMeant: (url: URL) => boolean): Promise<string | undefined> {
  try {
    for (const { name, paths, url } of locatedInstances(environment.bases))
      if (isMeant(new URL(url)) && (await discover(paths)).kind === 'running') return name;
  } catch {
    // Without a home, or with a locator that others can write, no instance is named.
  }
  return undefined;
}
