/**
 * The next step after a failure, by the endpoint that was called: the catalogue only knows the code, and a `not_found`
 * for an entity needs other advice than one for a snapshot.
 */
import { ERRORS, type ErrorCode, type ErrorEntry } from './errors.ts';

/** The command that lists the missing thing, by the beginning of the path. */
const LISTS = [
  ['/_kyclone/snapshots/', 'kyclone snapshot list shows the snapshots'],
  ['/_kyclone/faults/', 'kyclone faults list shows the fault rules'],
  ['/_kyclone/outcomes/', 'kyclone outcomes list shows the outcome rules'],
  ['/_kyclone/playbooks/', 'kyclone playbooks list shows the playbooks'],
  ['/_kyclone/webhooks/', 'kyclone webhooks list shows the webhook endpoints'],
  [
    '/_kyclone/events/{id}/resend',
    'kyclone webhooks events shows the events, kyclone webhooks list the endpoints',
  ],
  ['/_kyclone/events/', 'kyclone webhooks events shows the events'],
  ['/_kyclone/tokens/', 'kyclone tokens list shows the client tokens'],
  ['/_kyclone/api-keys/', 'kyclone keys list shows the API keys'],
  ['/_kyclone/requests/', 'kyclone requests list shows the requests of the journal'],
  ['/_kyclone/keyring/slots/', 'kyclone keyring status shows the key slots'],
  ['/bank_links/', 'kyclone bank links list shows the links of the environment of the key'],
] as const;

/** A path within one entity that names nothing else that could be missing. */
const OF_ENTITY = /^\/(?:users\/\{fp_id\}|businesses\/\{fp_bid\})(?:\/[a-z_]+)*$/;
const OTHER_ENVIRONMENT =
  'a sandbox key finds only sandbox data, and a live key only live data; with --live the CLI uses the live key';

const SNAPSHOT_OF_ANOTHER =
  'the state is as it was; for another instance, make the snapshot with kyclone snapshot create --file';

/** The beginning of the message for a path that the daemon doesn't have. */
export const NO_ENDPOINT = 'No endpoint has this path';

const OTHER_BUILD = 'the daemon is of another version than this kyclone: kyclone restart starts this one';

/** `key` is the endpoint that was called, in the form of the contract; undefined for a raw request. */
export function hintOf(code: string, key?: string, message = ''): string | undefined {
  // Each endpoint of the contract exists in a daemon of the same version.
  if (code === 'not_found' && key !== undefined && message.startsWith(NO_ENDPOINT)) return OTHER_BUILD;
  if (code === 'not_found')
    return key === undefined ? undefined : afterNotFound(key.slice(key.indexOf(' ') + 1));
  if (code === 'vault_damaged' && key === 'POST /_kyclone/snapshots/{name}/load') return SNAPSHOT_OF_ANOTHER;
  const entry: ErrorEntry | undefined = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
  return entry?.hint;
}

function afterNotFound(path: string): string | undefined {
  if (OF_ENTITY.test(path) || path.startsWith('/onboardings/')) return OTHER_ENVIRONMENT;
  return LISTS.find(([beginning]) => path.startsWith(beginning))?.[1];
}
