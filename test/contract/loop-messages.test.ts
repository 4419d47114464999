/**
 * The messages about a request that doesn't fit its schema (contract §0.5), for every endpoint of the registry. Each
 * member of the body, each query parameter and each header is wrong once. One table lists the messages, for people to
 * read. After a change of the contract `npx vitest run test/contract/loop-messages.test.ts -u` writes the table again.
 */
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { EXPECTS } from '../../src/contract/expectation.ts';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage } from '../support/samples.ts';
import { asRaw, asRefusal, startService, type RawRequest } from '../support/service.ts';
import { MARKS, mistakesOf, textMistakesOf, withMistake, type Mistake } from './message-table.ts';

const TABLE = '../snapshots/messages.txt';
/** Words of the schema, which a user of the API doesn't know. */
const SCHEMA_JARGON =
  /must be of|anyOf|oneOf|undefined|\[object|NaN| {2}|\bof another type\b|minLength|\^|\\/;

interface Row {
  readonly key: EndpointKey;
  readonly place: string;
  readonly what: string;
  readonly message: string;
}

const schemasOf = (endpoint: (typeof endpoints)[number]) => {
  const { body, query, headers } = endpoint as { body?: TSchema; query?: TSchema; headers?: TSchema };
  const takesJson = !('takesFile' in endpoint) && !('takesAnyBody' in endpoint);
  return {
    body: takesJson ? body : undefined,
    query,
    headers: 'takesAnyBody' in endpoint ? undefined : headers,
  };
};

/** Yields each wrong request, with the text with which its message must begin. */
function* wrongRequests(
  endpoint: (typeof endpoints)[number],
  sample: RawRequest,
): Generator<{ mistake: Mistake; place: string; request: RawRequest }, void, void> {
  const { body, query, headers } = schemasOf(endpoint);
  if (body) {
    for (const mistake of mistakesOf(body)) {
      const { path, name } = mistake;
      const place = path.length === 0 ? 'The body' : typeof path[0] === 'number' ? `Entry ${name}` : name;
      yield { mistake, place, request: { ...sample, body: withMistake(sample.body ?? {}, mistake, body) } };
    }
  }
  for (const mistake of query ? textMistakesOf(query) : []) {
    const [path = '', before = ''] = sample.path.split('?');
    const given = new URLSearchParams(before);
    if (mistake.sent === undefined) given.delete(mistake.name);
    else given.set(mistake.name, mistake.sent as string);
    const request = { ...sample, path: `${path}?${given.toString()}` };
    yield { mistake, place: `Query parameter ${mistake.name}`, request };
  }
  for (const mistake of headers ? textMistakesOf(headers) : []) {
    const request = { ...sample, headers: { ...sample.headers, [mistake.name]: mistake.sent as string } };
    yield { mistake, place: `Header ${mistake.name}`, request };
  }
}

test('messages: each member of each request, wrong once, is named in a sentence without a value', async () => {
  await using service = await startService();
  const stage = await setStage(service);
  const rows: Row[] = [];
  const problems: string[] = [];
  for (const endpoint of endpoints) {
    const { key } = endpoint;
    const { body, query, headers } = schemasOf(endpoint);
    if (!body && !query && !headers) continue;
    const sample = asRaw(key, await samples[key](stage));
    for (const { mistake, place, request } of wrongRequests(endpoint, sample)) {
      const where = `${key}: ${place}, ${mistake.what}`;
      const { status, code, message } = asRefusal(await service.send(request), where);
      if (status !== 400 || code !== 'invalid_request') problems.push(`${where}: ${status} ${code}`);
      problems.push(
        ...faultsOf(message, { mistake, place }).map((fault) => `${where}: ${fault}: ${message}`),
      );
      rows.push({ key, place, what: mistake.what, message });
    }
  }
  expect(problems.join('\n')).toBe('');
  expect(rows.length).toBeGreaterThan(300);
  await expect(tableOf(rows)).toMatchFileSnapshot(TABLE);
});

/** Returns the faults of a message: text that it must not contain, and text that is missing. */
function faultsOf(message: string, { mistake, place }: { mistake: Mistake; place: string }): string[] {
  const { what, schema } = mistake;
  const { description, [EXPECTS]: expected } = schema as { description?: string; [EXPECTS]?: string };
  const isUnknown = what === 'unknown';
  const beginning = isUnknown
    ? `There is no member ${place}`
    : what === 'missing'
      ? `${place} is missing: it must be `
      : `${place} must be `;
  const saysWhatToSend =
    description === undefined || /^an? /.test(description) || expected?.includes(description);
  return [
    ...(message.startsWith(beginning) ? [] : [`doesn't begin with "${beginning}"`]),
    ...(SCHEMA_JARGON.test(message) ? ['speaks of the schema'] : []),
    ...MARKS.filter((mark) => message.includes(mark)).map((mark) => `holds ${mark}`),
    ...(description !== undefined && !saysWhatToSend && message.includes(description)
      ? ['holds the description']
      : []),
  ];
}

/** Lists each message once, under the first endpoint that returns it. */
function tableOf(rows: readonly Row[]): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  let last: EndpointKey | undefined;
  for (const { key, what, message } of rows) {
    if (seen.has(message)) continue;
    seen.add(message);
    if (key !== last) lines.push(...(last === undefined ? [] : ['']), key);
    last = key;
    lines.push(`  ${what.padEnd(17)} ${message}`);
  }
  return `${lines.join('\n')}\n`;
}
