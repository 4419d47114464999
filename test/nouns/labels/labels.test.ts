/** Labels and tags of users and businesses (contract §10). */
import { describe, expect } from 'vitest';
import type { AnswerOf, EndpointKey } from '../../../src/contract/registry.ts';
import { type LooseParts, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

type Tag = AnswerOf<'GET /users/{fp_id}/tags'>[number];

const KINDS = [
  { kind: 'user', path: '/users/{fp_id}', parameter: 'fp_id' },
  { kind: 'business', path: '/businesses/{fp_bid}', parameter: 'fp_bid' },
] as const;
type Kind = (typeof KINDS)[number];

/** Makes a user or business; returns the calls about its label and tags. */
async function marked(service: TestService, { kind, path, parameter }: Kind) {
  const id = await service[kind]({});
  const params = { [parameter]: id };
  const answered = async (key: EndpointKey, parts: LooseParts = {}) => {
    const reply = await service.request(key, { params, ...parts });
    expect(reply.status, `${key}: ${reply.text}`).toBe(200);
    return reply.body;
  };
  const onTag = (tag_id: string) => ({ params: { ...params, tag_id } });
  return {
    id,
    params,
    label: () => answered(`GET ${path}/label`),
    setLabel: (kind: unknown) => answered(`POST ${path}/label`, { body: { kind } }),
    tags: async () => (await answered(`GET ${path}/tags`)) as Tag[],
    tag: async (tag: string) => (await answered(`POST ${path}/tags`, { body: { tag } })) as Tag,
    untag: (tagId: string) => answered(`DELETE ${path}/tags/{tag_id}`, onTag(tagId)),
    refusedLabel: (body: unknown) => service.refused(`POST ${path}/label`, { params, body }),
    refusedTag: (body: unknown) => service.refused(`POST ${path}/tags`, { params, body }),
    refusedUntag: (tagId: string) => service.refused(`DELETE ${path}/tags/{tag_id}`, onTag(tagId)),
  };
}

describe.each(KINDS)('$kind', (kind) => {
  const { path } = kind;

  test(`POST ${path}/label: the same label again keeps its time, another has its own, null takes both away`, async (service) => {
    const [entity, other] = [await marked(service, kind), await marked(service, kind)];
    expect(await entity.label()).toEqual({ kind: null });
    expect(await entity.setLabel('active')).toEqual({});
    const first = { kind: 'active', created_at: '2026-03-01T12:00:00.000Z' };

    service.clock.advance(1_000);
    await entity.setLabel('active');
    expect(await entity.label()).toEqual(first);
    await entity.setLabel('offboard_other');
    expect(await entity.label()).toEqual({ kind: 'offboard_other', created_at: '2026-03-01T12:00:01.000Z' });
    expect(await entity.setLabel(null)).toEqual({});
    expect(await entity.label()).toEqual({ kind: null });
    service.clock.advance(1_000);
    await entity.setLabel('active');
    expect(await entity.label()).toEqual({ kind: 'active', created_at: '2026-03-01T12:00:02.000Z' });
    expect(await other.label()).toEqual({ kind: null });
  });

  test(`POST ${path}/tags: the same tag again is the same record, in another case another`, async (service) => {
    const [entity, other] = [await marked(service, kind), await marked(service, kind)];
    const first = await entity.tag('vip: Q1_2026-a.b');
    expect(first).toEqual({
      id: expect.stringMatching(/^tag_[0-9A-Za-z]{22}$/) as string,
      tag: 'vip: Q1_2026-a.b',
      created_at: '2026-03-01T12:00:00.000Z',
    });
    service.clock.advance(1_000);

    expect(await entity.tag('vip: Q1_2026-a.b')).toEqual(first);
    const second = await entity.tag('VIP: Q1_2026-a.b');

    expect(second.id).not.toBe(first.id);
    expect(await entity.tags()).toEqual([second, first]);
    expect(await other.tags()).toEqual([]);
  });

  test(`POST ${path}/tags: the same tag at the same time is one record`, async (service) => {
    const entity = await marked(service, kind);

    const records = await Promise.all(Array.from({ length: 5 }, () => entity.tag('vip')));

    expect(await entity.tags()).toEqual(records.slice(0, 1));
    expect(new Set(records.map(({ id }) => id)).size).toBe(1);
  });

  test(`GET ${path}/tags: newest first, those of one moment by id descending`, async (service) => {
    const entity = await marked(service, kind);
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

  test(`DELETE ${path}/tags/{tag_id}: takes that tag; one that is gone, unknown or of another entity is 404`, async (service) => {
    const [entity, other] = [await marked(service, kind), await marked(service, kind)];
    const [gone, kept, theirs] = [
      await entity.tag('gone'),
      await entity.tag('kept'),
      await other.tag('theirs'),
    ];

    expect(await entity.untag(gone.id)).toEqual({});

    for (const id of [gone.id, theirs.id, 'tag_0000000000000000000000', 'gone', "' OR 1=1 --"]) {
      expect(await entity.refusedUntag(id), id).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(await entity.tags()).toEqual([kept]);
    expect(await other.tags()).toEqual([theirs]);
    expect((await entity.tag('gone')).id).not.toBe(gone.id);
  });

  test(`DELETE ${path}: deletes label and tags, and none can be added during it`, async (service) => {
    const entity = await marked(service, kind);
    await entity.setLabel('active');
    await entity.tag('vip');

    const gone = service.request(`DELETE ${path}`, { params: entity.params });
    const refusals = [entity.refusedLabel({ kind: null }), entity.refusedTag({ tag: 'late' })];

    expect((await gone).status).toBe(200);
    for (const refusal of await Promise.all(refusals)) {
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(service.database.prepare('SELECT count(*) FROM tags').pluck().get()).toBe(0);
  });

  test(`PATCH /_kyclone/entities/{fp_id}: sets the label that ${path}/label answers`, async (service) => {
    const entity = await marked(service, kind);
    for (const label of ['active', null] as const) {
      await service.call('PATCH /_kyclone/entities/{fp_id}', {
        params: { fp_id: entity.id },
        body: { label },
      });
      expect(await entity.label()).toMatchObject({ kind: label });
    }
  });
});
