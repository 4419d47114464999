/** What an instance reports about itself (contract §11). */
import { expect } from 'vitest';
import { NOON } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

test('info: returns what this instance is', async (service) => {
  await service.user();
  await service.business();
  service.clock.advance(1500);

  const { body } = await service.call('GET /_kyclone/info');

  expect(body).toMatchObject({
    version: '0.0.0-test',
    pid: process.pid,
    url: service.instance.url,
    instance: 'default',
    storage: 'ephemeral',
    started_at: new Date(NOON).toISOString(),
    clock: { now: new Date(NOON + 1500).toISOString(), mode: 'real', offset_ms: 0 },
    egress_policy: 'local',
    counts: { users: 1, businesses: 1 },
    faults: 0,
    pending_work: 0,
  });
});

test('docs: is a page that loads nothing and may load nothing', async (service) => {
  const page = await service.send({ method: 'GET', path: '/_kyclone/docs', as: null });

  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.text).not.toMatch(/(src|href)="https?:/);
});
