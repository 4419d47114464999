/**
 * Tools that read the journal: failed requests with their causes, and the steps of the vault proxy. Values are
 * masked.
 */
import { Type } from '@sinclair/typebox';
import { ifFound } from '../../client/errors.ts';
import { pagesOf } from '../../client/pages.ts';
import { PAGE_SIZE } from '../../contract/facts/limits.ts';
import type { JournalEntry } from '../../nouns/requests/commands/journal.ts';
import { adviceOn, hasFailed } from '../exec/evidence.ts';
import { CliError } from '../shell/failure.ts';
import { parseMoment, resolveMoment, type ClockTime } from '../shell/times.ts';
import { namedBy, taking, tool, type ToolContext, type Tool } from './tool.ts';

const RequestId = namedBy('x-request-id of the answer, such as req_7p793EF07xKXHqAeg5VGPj');
const DEFAULT_LIMIT = 20;

export const journalTools: readonly Tool[] = [
  tool({
    name: 'list_failed_requests',
    description:
      'The last requests to the emulator that were refused, failed or got no response (status 0), newest first, each with its error code and a hint about what was probably meant. Begin here when a call of the app does not do what it should. get_request shows one of them whole.',
    effect: 'reads',
    input: taking({
      since: Type.Optional(
        namedBy('only from then on: a time (2026-01-31T12:00:00Z), or how long ago (10m)'),
      ),
      method: Type.Optional(Type.String({ maxLength: 16, description: 'only of this method' })),
      path: Type.Optional(
        Type.String({ maxLength: 512, description: 'only to these paths: * is one segment, ** any number' }),
      ),
      status: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 599, description: 'only with this status; 0 for no answer' }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE_SIZE.most,
          description: `at most this many (default: ${DEFAULT_LIMIT})`,
        }),
      ),
    }),
    run: async ({ since, method, path, status, limit = DEFAULT_LIMIT }, { client }) => {
      const from = since === undefined ? undefined : await resolveMoment(momentOf(since), client);
      const filter = { method, path, status, since: from, control: false };
      const failed: JournalEntry[] = [];
      const journal = (page: object) =>
        client.call('GET /_kyclone/requests', { query: { ...filter, ...page } });
      for await (const page of pagesOf(journal))
        if (failed.push(...page.filter((entry) => hasFailed(entry) && !isLive(entry))) >= limit) break;
      return { failed_requests: failed.slice(0, limit).map(summaryOf) };
    },
  }),
  tool({
    name: 'get_request',
    description:
      'One request of the journal: the request and the response, with values masked, its error code and a hint.',
    effect: 'reads',
    input: taking({ request_id: RequestId }),
    run: async ({ request_id }, { client }) => {
      const entry = await sandboxEntry(request_id, client);
      return { ...entry, hint: adviceOn(entry) };
    },
  }),
  tool({
    name: 'explain_proxy_call',
    description:
      'What the vault proxy did with one request, step by step: tokens found, headers forwarded or removed, TLS and pins, ingress rules, times, and hints on what to try next. Values are masked.',
    effect: 'reads',
    input: taking({ request_id: Type.Optional(RequestId) }),
    run: async ({ request_id }, { client }) => {
      const entry =
        request_id === undefined ? await newestProxyCall(client) : await sandboxEntry(request_id, client);
      const { id, at, path, status, code } = entry;
      const params = { id };
      const explanation = await ifFound(client.call('GET /_kyclone/requests/{id}/proxy', { params }));
      if (explanation) return { request: { id, at, path, status, code }, explanation };
      throw noSuch(
        'The request is not a call of the vault proxy',
        'omit request_id for the newest proxy call',
      );
    },
  }),
];

/** Throws CliError, which doesn't contain the text. */
function momentOf(text: string): ClockTime {
  const moment = parseMoment(text);
  if (moment) return moment;
  throw new CliError('since must be a time, or how long ago', {
    code: 'invalid_request',
    hint: 'such as 2026-01-31T12:00:00Z or 10m',
  });
}

function isLive({ environment }: JournalEntry): boolean {
  return environment === 'live';
}

function summaryOf(entry: JournalEntry) {
  const { id, at, method, path, status, code, faults } = entry;
  return {
    id,
    at,
    method,
    path,
    status,
    code,
    hint: adviceOn(entry),
    ...(faults.length > 0 && { fault_rules: faults }),
  };
}

/** Throws CliError for a request of the live environment, and if there is no such request. */
async function sandboxEntry(id: string, client: ToolContext['client']): Promise<JournalEntry> {
  const entry = await ifFound(client.call('GET /_kyclone/requests/{id}', { params: { id } }));
  if (!entry)
    throw noSuch(
      'The journal has no request with this id: it keeps the last 2,000 since the daemon started',
      'list_failed_requests shows ids of requests that failed',
    );
  if (!isLive(entry)) return entry;
  throw new CliError('The request was made in the live environment, which assistants may not see', {
    code: 'live_refused',
    hint: 'repeat the call with the sandbox key, or look at it yourself: kyclone requests get',
  });
}

async function newestProxyCall(client: ToolContext['client']): Promise<JournalEntry> {
  const query = { path: '/vault_proxy/**', page_size: PAGE_SIZE.most };
  const { data } = await client.call('GET /_kyclone/requests', { query });
  const call = data.find((entry) => entry.proxy !== undefined && !isLive(entry));
  if (call) return call;
  throw noSuch(
    'There was no proxy call in the sandbox among the last requests',
    'POST /vault_proxy/jit makes one; kyclone proxy send does it from the command line',
  );
}

function noSuch(message: string, hint: string): CliError {
  return new CliError(message, { code: 'not_found', hint });
}
