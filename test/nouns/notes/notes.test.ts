/** Notes about a person: stored with operator and time, sealed, and deleted with the person (contract §11). */
import { expect } from 'vitest';
import { aReadyUser } from '../../support/builders.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const NOTES = 'GET /_kyclone/entities/{fp_id}/notes';
const CREATE = 'POST /_kyclone/entities/{fp_id}/notes';
const DELETE = 'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}';

async function write(service: TestService, fp_id: string, text: string, operator = 'Ada') {
  const headers = { 'x-kyclone-operator': operator };
  const path = `/_kyclone/entities/${fp_id}/notes`;
  return (await service.send({ method: 'POST', path, headers, body: { text } })).body as { id: string };
}

test('notes: newest first, with operator and time, in the view of the entity and in its timeline', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await write(service, fp_id, 'called about her address');
  service.clock.advance(1_000);
  await write(service, fp_id, 'papers follow', 'Zoe');

  const { body } = await service.call(NOTES, { params: { fp_id } });

  expect(body).toMatchObject([
    { text: 'papers follow', operator: 'Zoe' },
    { text: 'called about her address', operator: 'Ada' },
  ]);
  expect(Date.parse(body[0]?.created_at ?? '') - Date.parse(body[1]?.created_at ?? '')).toBe(1_000);
  const inspected = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(inspected.body.notes).toEqual(body);
  const timeline = await service.call('GET /_kyclone/entities/{fp_id}/timeline', {
    params: { fp_id },
    query: { kinds: 'note' },
  });
  expect(timeline.body.data).toMatchObject([
    { title: 'Note', by: 'Zoe', reason: 'papers follow', id: body[0]?.id },
    { title: 'Note', by: 'Ada', reason: 'called about her address' },
  ]);
});

test('notes: stored sealed; one is deleted by its id, all with the person', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const { id } = await write(service, fp_id, 'her sister Quillonda called', 'Adalbertina');
  await write(service, fp_id, 'second');
  const rows = () => service.database.prepare('SELECT * FROM notes').all() as object[];
  const text = rows()
    .map((row) => Object.values(row).map(String).join(' '))
    .join(' ');
  expect(text).not.toMatch(/Quillonda|Adalbertina/);

  await service.call(DELETE, { params: { fp_id, note_id: id } });
  expect(rows()).toHaveLength(1);
  await service.call('DELETE /users/{fp_id}', { params: { fp_id } });
  expect(rows()).toEqual([]);
});

test('notes: blanks, a long text, and a note of another entity are refused', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const other = await service.user(aReadyUser());
  const { id } = await write(service, fp_id, 'kept');
  const refusal = async (text: string) =>
    (await service.refused(CREATE, { params: { fp_id }, body: { text } })).code;
  expect(await refusal(' \n\u200b')).toBe('invalid_request');
  expect(await refusal('a'.repeat(4_001))).toBe('invalid_request');
  const foreign = await service.refused(DELETE, { params: { fp_id: other, note_id: id } });
  expect(foreign.code).toBe('not_found');
  expect((await service.call(NOTES, { params: { fp_id } })).body).toMatchObject([{ id, text: 'kept' }]);
});

test.eachWith([['created_at = created_at - 1'], ['entity = (SELECT id FROM entities WHERE fp_id = @to)']])(
  'notes: a row with %s in the store is refused, and says nothing',
  async (service, change) => {
    const [from, to] = [await service.user(aReadyUser()), await service.user()];
    await write(service, from, 'owes Quillonda money');
    const isMoved = change.includes('@to');
    service.database.prepare(`UPDATE notes SET ${change}`).run(isMoved ? { to } : {});

    const refused = await service.refused(NOTES, { params: { fp_id: isMoved ? to : from } });

    expect(refused).toMatchObject({ status: 503, code: 'vault_damaged' });
    expect(JSON.stringify(refused)).not.toContain('Quillonda');
  },
);
