/**
 * A NUL in a text (contract §0.8). SQLite of Node 22 ends a text at a NUL when it reads the text, so no text column may
 * hold one. The tests send every JSON body with a NUL in each of its places. The service refuses members of the
 * contract by name, and stores everything else sealed or as JSON.
 */
import { expect } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { placesOf, schemasAt, valueAt, withAt } from '../support/body-places.ts';
import { samples } from '../support/samples.ts';
import { shareStage } from '../support/shared-stage.ts';
import { asRaw, asRefusal, type TestService } from '../support/service.ts';
import '../support/tier-all.ts';
import { test } from '../support/test-with.ts';

/** These endpoints change the whole instance. */
const NOT_SENT = /^POST \/_kyclone\/(?:reset|keyring)/;
/** Codes of the answer when the text with a NUL stands for an id or for a name. */
const NOT_FOUND = ['not_found', 'permission_denied'];

const bodies = endpoints.flatMap((endpoint) =>
  endpoint.body && !('takesFile' in endpoint) && !('takesAnyBody' in endpoint) && !NOT_SENT.test(endpoint.key)
    ? [[endpoint.key, endpoint.body] as const]
    : [],
);

const shared = shareStage();

/** Returns `playbooks.name` for each text column that has a NUL in one of its rows. */
function columnsWithNul({ database }: TestService): string[] {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  return (database.prepare(tables).pluck().all() as string[]).flatMap((table) => {
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .pluck()
      .all() as string[];
    return columns.flatMap((column) => {
      const rows = `SELECT 1 FROM ${table} WHERE typeof(${column}) = 'text' AND instr(CAST(${column} AS BLOB), x'00')`;
      return database.prepare(rows).get() === undefined ? [] : [`${table}.${column}`];
    });
  });
}

test('NUL: a column of text that has one is found', async (service) => {
  await service.call('POST /_kyclone/api-keys', { body: { name: 'one' } });
  expect(columnsWithNul(service)).toEqual([]);
  service.database.prepare("UPDATE api_keys SET name = 'o' || char(0) || 'ne' WHERE name = 'one'").run();
  expect(columnsWithNul(service)).toEqual(['api_keys.name']);
});

test.each(bodies)('NUL: %s', async (key, schema) => {
  const stage = await shared.freshStage(key);
  const { service } = stage;
  for (const place of placesOf(schema)) {
    const sample = asRaw(key, await samples[key](stage));
    const had = valueAt(sample.body, place);
    const text = typeof had === 'string' ? `${had}\0rest` : 'some\0rest';
    const answer = await service.send({ ...sample, body: withAt(sample.body, place, text) });
    const where = `${place.join('.')}: ${answer.status} ${answer.text.slice(0, 300)}`;
    expect(answer.status, where).toBeLessThan(500);
    if (!schemasAt(schema, place).some(({ type }) => type === 'string')) continue;
    const { code, message } = asRefusal(answer, where);
    // The body may lack other members of the object at this place. Then the message names one of those.
    if (NOT_FOUND.includes(code) || message.includes(' is missing: ')) continue;
    expect(message, where).toContain(place.findLast(isName) ?? 'Entry [0]');
  }
  expect(columnsWithNul(service)).toEqual([]);
});

const isName = (step: string | number) => typeof step === 'string';

test('NUL: in the query it is refused by the name of its parameter', async (service) => {
  const path = '/_kyclone/access-log?fp_id=fp_id_1%00';
  const refused = asRefusal(await service.send({ method: 'GET', path }), path);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(refused.message).toBe('Query parameter fp_id must not hold a NUL character (U+0000)');
});

test('NUL: a custom value keeps it, as it is sealed', async (service) => {
  const value = { note: 'before\0after' };
  const fp_id = await service.user({ 'custom.note': value });
  const { body } = await service.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id },
    body: { fields: ['custom.note'], reason: 'a test' },
  });
  expect(body).toEqual({ 'custom.note': value });
});
