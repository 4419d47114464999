/**
 * Limits for every JSON body of the control plane, checked before its schema, so that handlers only see members of
 * bounded size. Messages name members of the body and never quote values.
 */
import { ServiceError } from '../kernel/errors.ts';
import { withoutCredentials } from '../kernel/redaction.ts';

/** Levels of nested lists and objects, the same as for a custom value (contract §0.8). */
const NESTING_LIMIT = 64;
/** The longest single text: the most that a vault takes in one write. */
const TEXT_LIMIT_CHARACTERS = 32 * 1024;
const MEMBERS_LIMIT = 1_000;
const NAME_LIMIT_CHARACTERS = 256;

/** Throws `invalid_request`. A body deeper than `NESTING_LIMIT` must come with its `depth`. */
export function requireBounded(body: unknown, depth: number): void {
  if (depth > NESTING_LIMIT) {
    throw tooLarge(`The body is nested more than ${NESTING_LIMIT} levels deep`);
  }
  const waiting: { readonly value: unknown; readonly name: string }[] = [{ value: body, name: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, name } = next;
    const where = name === '' ? 'The body' : `Member ${shownMember(name)}`;
    if (typeof value === 'string') {
      if (value.length > TEXT_LIMIT_CHARACTERS) {
        throw tooLarge(`${where} holds a text of more than ${TEXT_LIMIT_CHARACTERS} characters`);
      }
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push({ value: item, name });
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      if (members.length > MEMBERS_LIMIT) throw tooLarge(`${where} has more than ${MEMBERS_LIMIT} members`);
      for (const [member, held] of members) {
        if (member.length > NAME_LIMIT_CHARACTERS) {
          throw tooLarge(`${where} has a member whose name is over ${NAME_LIMIT_CHARACTERS} characters`);
        }
        waiting.push({ value: held, name: name === '' ? member : `${name}.${member}` });
      }
    }
  }
}

function tooLarge(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

const SHOWN_CHARACTERS = 100;
const PLAIN_NAME = /^[A-Za-z0-9_.:-]+$/;

/**
 * The name of a member as errors and hints show it. A name of an unusual form could be a misplaced value and is not
 * shown.
 */
export function shownMember(name: string): string {
  if (!PLAIN_NAME.test(name)) return '***';
  const cut = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return withoutCredentials(cut);
}
