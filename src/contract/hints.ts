/**
 * What to do next after a failure, by what was called: the catalogue knows only the code, and a `not_found` of an entity
 * wants other advice than one of a snapshot.
 */
import { ERRORS, type ErrorCode, type ErrorEntry } from './errors.ts';

/** Where what wasn't found is listed, by the beginning of the path. */
const LISTS = [
  ['/_kyclone/snapshots/', 'kyclone snapshot list shows the snapshots'],
  ['/_kyclone/faults/', 'kyclone faults list shows the fault rules'],
  ['/_kyclone/outcomes/', 'kyclone outcomes list shows the outcome rules'],
  ['/_kyclone/playbooks/', 'kyclone playbooks list shows the playbooks'],
  ['/_kyclone/webhooks/', 'kyclone webhooks list shows the webhook endpoints'],
  ['/_kyclone/events/', 'kyclone webhooks events shows the events'],
  ['/_kyclone/tokens/', 'kyclone tokens list shows the client tokens'],
  ['/_kyclone/api-keys/', 'kyclone keys list shows the API keys'],
  ['/_kyclone/requests/', 'kyclone requests list shows the requests of the journal'],
  ['/_kyclone/keyring/slots/', 'kyclone keyring status shows the key slots'],
  ['/bank_links/', 'kyclone bank links list shows the links of the environment of the key'],
] as const;

/** A path that ends within one entity, and names nothing else that could be missing. */
const OF_ENTITY = /^\/(?:users\/\{fp_id\}|businesses\/\{fp_bid\})(?:\/[a-z_]+)*$/;
const OTHER_ENVIRONMENT =
  'a sandbox key finds only what is in the sandbox, and a live key only what is live; with --live the CLI uses the live key';

/** `key` is the endpoint that was called, as the contract names it; undefined for a request by hand. */
export function hintOf(code: string, key?: string): string | undefined {
  if (code === 'not_found')
    return key === undefined ? undefined : afterNotFound(key.slice(key.indexOf(' ') + 1));
  const entry: ErrorEntry | undefined = Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined;
  return entry?.hint;
}

function afterNotFound(path: string): string | undefined {
  if (OF_ENTITY.test(path) || path.startsWith('/onboardings/')) return OTHER_ENVIRONMENT;
  return LISTS.find(([beginning]) => path.startsWith(beginning))?.[1];
}
