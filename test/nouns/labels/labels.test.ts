/** Labels and tags of users and businesses (contract §10). */
import { describe, expect } from 'vitest';
import type { EndpointKey } from '../../../src/contract/registry.ts';
import { type LooseParts, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

interface Tag {
  readonly id: string;
  readonly tag: string;
  readonly created_at: string;
}

const KINDS = [
  { kind: 'user', path: '/users/{fp_id}', parameter: 'fp_id' },
  { kind: 'business', path: '/businesses/{fp_bid}', parameter: 'fp_bid' },
] as const;
type Kind = (typeof KINDS)[number];

/** Returns the calls about one entity's label and tags, for users and businesses. */
function markingsOf(service: TestService, { path, parameter }: Kind, id: string) {
  const on = { params: { [parameter]: id } };
  const answered = async (key: EndpointKey, parts: LooseParts = {}) => {
    const reply = await service.request(key, { ...on, ...parts });
    expect(reply.status, `${key}: ${reply.text}`).toBe(200);
    return reply.body;
  };
  const onTag = (tag_id: string) => ({ params: { ...on.params, tag_id } });
  return {
    label: () => answered(`GET ${path}/label`),
    setLabel: (kind: unknown) => answered(`POST ${path}/label`, { body: { kind } }),
    tags: async () => (await answered(`GET ${path}/tags`)) as Tag[],
    tag: async (tag: string) => (await answered(`POST ${path}/tags`, { body: { tag } })) as Tag,
    untag: (tagId: string) => answered(`DELETE ${path}/tags/{tag_id}`, onTag(tagId)),
    refusedLabel: (body: unknown) => service.refused(`POST ${path}/label`, { ...on, body }),
    refusedTag: (body: unknown) => service.refused(`POST ${path}/tags`, { ...on, body }),
    refusedUntag: (tagId: string) =>
      service.refused(`DELETE ${path}/tags/{tag_id}`, { ...on, ...onTag(tagId) }),
  };
}

const create = (service: TestService, kind: Kind): Promise<string> => service[kind.kind]({});

describe.each(KINDS)('$kind', (kind) => {
  const { path } = kind;

  test(`POST ${path}/label: is read back with the time it was set; without one the kind is null`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    expect(await entity.label()).toEqual({ kind: null });

    service.clock.advance(1_000);
    expect(await entity.setLabel('offboard_fraud')).toEqual({});

    expect(await entity.label()).toEqual({ kind: 'offboard_fraud', created_at: '2026-03-01T12:00:01.000Z' });
  });

  test(`POST ${path}/label: the same label again keeps its time, another one has its own`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    await entity.setLabel('active');
    const first = await entity.label();

    service.clock.advance(1_000);
    await entity.setLabel('active');
    expect(await entity.label()).toEqual(first);
    await entity.setLabel('offboard_other');
    expect(await entity.label()).toEqual({ kind: 'offboard_other', created_at: '2026-03-01T12:00:01.000Z' });
  });

  test(`POST ${path}/label: null takes the label away, and its time`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    await entity.setLabel('active');
    expect(await entity.setLabel(null)).toEqual({});
    expect(await entity.label()).toEqual({ kind: null });

    service.clock.advance(1_000);
    await entity.setLabel('active');
    expect(await entity.label()).toEqual({ kind: 'active', created_at: '2026-03-01T12:00:01.000Z' });
  });

  test(`${path}/label, ${path}/tags: those of one entity are not on another`, async (service) => {
    const [one, other] = [await create(service, kind), await create(service, kind)];
    await markingsOf(service, kind, one).setLabel('active');
    await markingsOf(service, kind, one).tag('vip');

    expect(await markingsOf(service, kind, other).label()).toEqual({ kind: null });
    expect(await markingsOf(service, kind, other).tags()).toEqual([]);
  });

  test(`POST ${path}/tags: returns the record, which the list then shows`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    expect(await entity.tags()).toEqual([]);

    const record = await entity.tag('vip: Q1_2026-a.b');

    expect(record).toEqual({
      id: expect.stringMatching(/^tag_[0-9A-Za-z]{22}$/) as string,
      tag: 'vip: Q1_2026-a.b',
      created_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await entity.tags()).toEqual([record]);
  });

  test(`POST ${path}/tags: the same tag again is the same record, in another case another`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    const first = await entity.tag('vip');
    service.clock.advance(1_000);

    expect(await entity.tag('vip')).toEqual(first);
    const other = await entity.tag('VIP');

    expect(other.id).not.toBe(first.id);
    expect(await entity.tags()).toEqual([other, first]);
  });

  test(`POST ${path}/tags: the same tag at the same time is one record`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));

    const records = await Promise.all(Array.from({ length: 5 }, () => entity.tag('vip')));

    expect(await entity.tags()).toEqual(records.slice(0, 1));
    expect(new Set(records.map(({ id }) => id)).size).toBe(1);
  });

  test(`GET ${path}/tags: newest first, those of one moment by id descending`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    for (const [index, tag] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      if (index % 3 === 0) service.clock.advance(1);
      await entity.tag(tag);
    }

    const tags = await entity.tags();

    const newestFirst = tags.toSorted(
      (one, next) => next.created_at.localeCompare(one.created_at) || (next.id > one.id ? 1 : -1),
    );
    expect(tags).toEqual(newestFirst);
    expect(tags.slice(0, 3).map(({ tag }) => tag)).toEqual(expect.arrayContaining(['d', 'e', 'f']));
  });

  test(`POST ${path}/tags: a tag of other characters or another length is 400, and not repeated`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));

    for (const tag of ['', 'x'.repeat(65), 'a,b', 'naïve', 'a\n', 'a\tb', '<b>', null, 7, undefined]) {
      const refusal = await entity.refusedTag({ tag });
      expect(refusal, String(tag)).toMatchObject({ status: 400, code: 'invalid_request' });
      if (typeof tag === 'string' && tag !== '') expect(refusal.message).not.toContain(tag);
    }

    expect(await entity.tags()).toEqual([]);
  });

  test(`POST ${path}/tags: a tag has 1 to 64 characters`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    for (const tag of ['x', ' ', 'x'.repeat(64)]) expect((await entity.tag(tag)).tag).toBe(tag);
  });

  test(`DELETE ${path}/tags/{tag_id}: takes that tag; the same one added again is new`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    const [gone, kept] = [await entity.tag('gone'), await entity.tag('kept')];

    expect(await entity.untag(gone.id)).toEqual({});

    expect(await entity.tags()).toEqual([kept]);
    expect((await entity.tag('gone')).id).not.toBe(gone.id);
  });

  test(`DELETE ${path}/tags/{tag_id}: an unknown tag and one that is gone are 404`, async (service) => {
    const entity = markingsOf(service, kind, await create(service, kind));
    const { id } = await entity.tag('gone');
    await entity.untag(id);

    for (const tagId of [id, 'tag_0000000000000000000000', 'gone', "' OR 1=1 --"]) {
      expect(await entity.refusedUntag(tagId), tagId).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  test(`DELETE ${path}/tags/{tag_id}: the tag of another entity is 404 and stays`, async (service) => {
    const [one, other] = [await create(service, kind), await create(service, kind)];
    const tag = await markingsOf(service, kind, other).tag('theirs');

    const refusal = await markingsOf(service, kind, one).refusedUntag(tag.id);

    expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    expect(await markingsOf(service, kind, other).tags()).toEqual([tag]);
  });

  test(`DELETE ${path}: deletes label and tags, and none can be added during it`, async (service) => {
    const id = await create(service, kind);
    const entity = markingsOf(service, kind, id);
    await entity.setLabel('active');
    await entity.tag('vip');

    const gone = service.request(`DELETE ${path}`, { params: { [kind.parameter]: id } });
    const refusals = [entity.refusedLabel({ kind: null }), entity.refusedTag({ tag: 'late' })];

    expect((await gone).status).toBe(200);
    for (const refusal of await Promise.all(refusals)) {
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(service.database.prepare('SELECT count(*) FROM tags').pluck().get()).toBe(0);
  });

  test(`PATCH /_kyclone/entities/{fp_id}: sets the label that ${path}/label answers`, async (service) => {
    const id = await create(service, kind);
    const patch = (label: 'active' | null) =>
      service.call('PATCH /_kyclone/entities/{fp_id}', { params: { fp_id: id }, body: { label } });

    await patch('active');
    expect(await markingsOf(service, kind, id).label()).toMatchObject({ kind: 'active' });
    await patch(null);
    expect(await markingsOf(service, kind, id).label()).toEqual({ kind: null });
  });
});
