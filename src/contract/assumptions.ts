import type { Assumption } from './endpoint.ts';

/**
 * Decisions about the whole service, where the specification is silent. `why` is the number of the decision in contract
 * §13. Where the contract is silent, too, it begins with `ours` and gives the reason.
 */
export const CONVENTIONS: readonly Assumption[] = [
  { what: 'The Host header is checked; a foreign Host is 421', why: 'A1' },
  {
    what: 'CORS is open to loopback and configured origins on client-token endpoints only; any other Origin is 403. Download links open from any page, followed or as an image',
    why: 'A2',
  },
  { what: 'The secret-key header is equal in effect to Basic; Bearer keys are not accepted', why: 'A3' },
  { what: 'Preview scopes gate endpoints; a new key has all; a missing one is 403', why: 'A4' },
  {
    what: 'Keys carry permissions for entities, vault, onboarding, review, proxy, bank links and decrypt by pattern',
    why: 'A5',
  },
  {
    what: 'Checks run in the order host, readiness, fault, route, credential, scope, content, entity, shape, fields, reason, values, state',
    why: 'A6',
  },
  { what: 'The error body is {message, code, context?}, with a code on every error', why: 'A7' },
  { what: 'Ids are a type prefix and 22 base62 characters', why: 'A8' },
  {
    what: 'GET and HEAD of / answer 302 to the docs page; any other method there is 404 not_found',
    why: 'ours: the specification has no such path, and a person who opens the address gets somewhere',
  },
  { what: 'Unknown members of fixed-shape bodies are ignored; the control plane refuses them', why: 'A9' },
  { what: 'List parameters are comma-separated, blanks tolerated, 100 at most', why: 'A10' },
  {
    what: 'JSON integers are accepted for typed text; numbers in custom values keep their text',
    why: 'A11',
  },
  {
    what: 'Pages hold 20 by default, newest first; out-of-range sizes are 400 or capped as stated',
    why: 'A12',
  },
  { what: 'Vault bodies hold 32 KiB, other JSON bodies 256 KiB; there is no rate limit', why: 'A13' },
  {
    what: 'Uploads hold 10 MiB, counted as they come in: raw bytes or a multipart form with the one part upload_file',
    why: 'A13, A35',
  },
  {
    what: 'An upload is always a new version of its datum, even of the bytes that are stored already',
    why: 'ours: a file streams in and is not compared with the one it replaces',
  },
  {
    what: 'The files of one decryption hold 64 MiB together; beyond that it is 400 invalid_request: ask for fewer fields, or download them',
    why: 'ours: a JSON answer is made in memory, a download streams',
  },
  {
    what: 'The transforms of one request have one budget over all its fields, versions, chains, tokens and ingress rules; beyond it, or with more than 64 Mi characters made, it is 400 transform_failed; it takes 16 different public keys, else 400 transform_invalid',
    why: 'ours: no request may hold the daemon or exhaust its memory',
  },
  {
    what: 'A client token reads at most 20 versions of one identifier in a request; integrity hashes 512 MiB of files',
    why: 'ours: versions would make thousands of the few fields that a token names',
  },
  {
    what: 'A member that stands twice in one object is 400 in the control plane; elsewhere the last one counts and the journal has a hint',
    why: 'A9; ours: a search for the other value shows it',
  },
  {
    what: 'Bodies of the control plane are nested 64 deep at most, with 1,000 members an object, names of 256 and texts of 32,768 characters; else 400',
    why: 'ours: every rule behind them takes a bounded time',
  },
  {
    what: 'A reason of blanks counts as none, wherever one is given',
    why: 'ours: the access log is to say why',
  },
  {
    what: 'A client token that lacks the ability or an identifier of the call is 403; where the call would read, the refusal is an entry of the access log',
    why: 'A30',
  },
  {
    what: 'CORS answers let the page read x-request-id and x-fp-vault-version',
    why: 'ours: a page needs them to name its request and to read a version again',
  },
  { what: 'A vault has one version counter; deletion keeps history unless purged', why: 'A14' },
  { what: 'The two fixture phone numbers are refused with a live key', why: 'A15' },
  { what: 'Validation maps each identifier to one fixed short reason, never a value', why: 'A16' },
  { what: 'The control plane lives under /_kyclone with a token of its own', why: 'A72' },
  { what: 'Error codes are T120, T121, T122 and the listed lower-case slugs', why: 'A73' },
];
