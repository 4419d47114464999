/** The journal: the last requests, for debugging; in memory, redacted on arrival (contract §11). */
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import type { ProxyExplanation, ProxySummary } from '../vault-proxy/endpoints.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { orderedPage } from '../cursor.ts';
import { defined } from '../../kernel/defined.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { answer, type Handlers } from '../handlers.ts';
import { withoutCredentials } from '../../kernel/ids/ids.ts';
import { isJsonObject, type JsonValue } from '../../kernel/text/json.ts';
import { describeIdentifier, maskValue } from '../../vault/identifiers/index.ts';
import { entryFilter } from './words.ts';

type JournalView = AnswerOf<'GET /_kyclone/requests/{id}'>;

export type JournalEntry = Omit<JournalView, 'at' | 'proxy'> & {
  /** Epoch milliseconds. */
  readonly at: number;
  key_id?: string;
  token_id?: string;
  operator?: string | null;
};

/** Groups requests: with a valid credential, without one, or refused by the checks of host and origin. */
type Standing = 'known' | 'unknown' | 'refused';

export type Journal = ReturnType<typeof createJournal>;

const JOURNAL_ENTRIES = 2_000;
/** The number of entries kept for each group. */
const KEPT: Readonly<Record<Standing, number>> = { known: JOURNAL_ENTRIES, unknown: 500, refused: 100 };

interface Kept {
  readonly sequence: number;
  readonly entry: JournalEntry;
  readonly explanation: ProxyExplanation | undefined;
}

/** `onEntry` is called for each entry. It may read the entry later, in the form of `get`. */
export function createJournal(
  onEntry: (read: () => JournalView, standing: Standing) => void = () => undefined,
) {
  /** Oldest first. */
  const groups: Readonly<Record<Standing, Kept[]>> = { known: [], unknown: [], refused: [] };
  const all = () => Object.values(groups).flat();
  const explanations = new Map<string, ProxyExplanation>();
  let sequence = 0;

  function find(id: string): Kept {
    const found = all().find(({ entry }) => entry.id === id);
    if (!found) throw new ServiceError('not_found', 'No request of the journal has this id');
    return found;
  }

  function clear(): void {
    for (const group of Object.values(groups)) group.length = 0;
  }

  return {
    get size(): number {
      return all().length;
    },
    /** Entries with a lower standing never displace those with a higher one. */
    add(entry: JournalEntry, standing: Standing = 'known'): void {
      const numbered = { sequence: ++sequence, entry, explanation: explanations.get(entry.id) };
      explanations.delete(entry.id);
      onEntry(() => view(numbered), standing);
      if (groups[standing].push(numbered) > KEPT[standing]) groups[standing].shift();
    },
    /** The explanation of a vault proxy call whose request has no entry yet; kept as long as that entry. */
    explain(requestId: string, explanation: ProxyExplanation): void {
      explanations.set(requestId, explanation);
      // Removes explanations of aborted requests, which never get an entry.
      const [oldest] = explanations.keys();
      if (explanations.size > JOURNAL_ENTRIES && oldest !== undefined) explanations.delete(oldest);
    },
    clear,

    handlers: {
      'GET /_kyclone/requests': ({ query }) => {
        const isWanted = entryFilter(query);
        const since = query.since === undefined ? -Infinity : Date.parse(query.since);
        const matching = all()
          .filter(({ entry }) => entry.at >= since && isWanted(entry))
          .sort((one, other) => other.sequence - one.sequence);
        return answer(
          orderedPage(query, {
            by: { sequence: 'number' },
            list: ({ after: { sequence } = { sequence: Infinity }, limit }) =>
              matching.filter((row) => row.sequence < sequence).slice(0, limit + 1),
            count: matching.length,
            view,
          }),
        );
      },

      'GET /_kyclone/requests/{id}': ({ params }) => answer(view(find(params.id))),

      'GET /_kyclone/requests/{id}/proxy': ({ params }) => {
        const { explanation } = find(params.id);
        if (!explanation) throw new ServiceError('not_found', 'This request never reached the vault proxy');
        return answer(explanation);
      },

      'DELETE /_kyclone/requests': () => {
        clear();
        return answer({});
      },
    } satisfies Handlers<RequestKeys>,
  };
}

function view({ entry, explanation }: Kept): JournalView {
  return { ...entry, ...(explanation && { proxy: summary(explanation) }), at: timestamp(entry.at) };
}

function summary({ target, sent, upstream, tokens, withheld }: ProxyExplanation): ProxySummary {
  return {
    url: target,
    status: upstream?.status ?? null,
    sent,
    tokens: tokens.map(({ token }) => token),
    ...defined({ withheld }),
  };
}

type RequestKeys = Extract<EndpointKey, `${string} /_kyclone/requests${'' | '/{id}' | '/{id}/proxy'}`>;

// Bodies in the journal: member names, and values as masks only (contract §1.2, §11).

/** Response members with values that the service itself created or named. */
const SHOWN = new Set([
  'id', 'fp_id', 'external_id', 'sandbox_id', 'status', 'requires_manual_review', 'code', 'message', 'context',
  'data', 'meta', 'count', 'next', 'ok', 'checked', 'ready',
]); // prettier-ignore
const MAX_MEMBERS = 100;

/** A request body. No member is shown because of its name alone, since a caller may put a value under any name. */
export function maskedRequest(body: unknown): JsonValue {
  return maskedMembers(body, (name, value) => {
    if (describeIdentifier(name)) return maskValue(name, value);
    if (name === 'fields' && Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(maskedReference);
    return typeof value === 'boolean' ? value : shape(value);
  });
}

/**
 * A response body. `holdsValues`: identifiers map to their values, not to flags, and any object may be foreign, since a
 * partner's response has a configurable name.
 */
export function maskedAnswer(body: unknown, { holdsValues }: { holdsValues: boolean }): JsonValue {
  return maskedMembers(body, (name, value) => {
    if (holdsValues && isJsonObject(value)) return shape(value);
    if (SHOWN.has(name)) return shown(value, holdsValues);
    const identifier = identifierOf(name);
    if (describeIdentifier(identifier) && (holdsValues || typeof value !== 'boolean')) {
      return maskValue(identifier, value);
    }
    return typeof value === 'boolean' ? value : shape(value);
  });
}

function maskedMembers(body: unknown, mask: (name: string, value: JsonValue) => JsonValue): JsonValue {
  if (body === undefined || body === null) return null;
  if (!isJsonObject(body)) return shape(body);
  const masked = new Members();
  let members = 0;
  for (const name in body) {
    if (members++ === MAX_MEMBERS) {
      masked['…'] = '<more members>';
      break;
    }
    const value = body[name];
    masked[withoutCredentials(name)] = value === undefined || value === null ? null : mask(name, value);
  }
  return masked;
}

/**
 * An object that inherits nothing, so that a member named __proto__ is an ordinary one. `Object.create(null)` is a hash
 * table, which is larger, and the journal keeps thousands.
 */
const Members = function () {
  // Members are added by their names.
} as unknown as new () => Record<string, JsonValue>;
Members.prototype = Object.create(null) as object;

function identifierOf(reference: string): string {
  const colon = reference.indexOf(':');
  return colon === -1 ? reference : reference.slice(0, colon);
}

/** The name of an identifier; any other text could be a misplaced value. */
function maskedReference(reference: JsonValue): JsonValue {
  const isKnown = typeof reference === 'string' && describeIdentifier(identifierOf(reference));
  return isKnown ? reference : shape(reference);
}

function shown(value: JsonValue, holdsValues: boolean): JsonValue {
  if (!Array.isArray(value)) return value;
  return value
    .slice(0, MAX_MEMBERS)
    .map((item) => (isJsonObject(item) ? maskedAnswer(item, { holdsValues }) : item));
}

function shape(value: unknown): string {
  if (Array.isArray(value)) return `<list ${value.length}>`;
  if (isJsonObject(value)) return `<object ${Object.keys(value).length}>`;
  return `<${value === null ? 'null' : typeof value}>`;
}
