/** What a session of the console may do, for every endpoint (contract §11.1). */
import '../../support/tier-all.ts';
import { describe, expect } from 'vitest';
import { consolePermissions } from '../../../src/nouns/console/facts.ts';
import { endpoints } from '../../../src/contract/registry.ts';
import { asSession } from '../../support/console-samples.ts';
import { samples, setStage } from '../../support/samples.ts';
import { type LooseParts } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const ofSession = endpoints.filter(({ auth }) => auth.kind === 'key' || auth.kind === 'control');
const SECRETS = /^(GET \/_kyclone\/(recording|snapshots\/\{name\}\/content)|\w+ \/_kyclone\/console\/)/;

describe('every endpoint of a key and of the control token', () => {
  test.eachWith(ofSession.map(({ key }) => key))(
    '%s: a session without permissions',
    async (service, key) => {
      const call = await asSession(service, { permissions: [] });
      const sample = (await samples[key](await setStage(service))) as LooseParts;
      const reply = await call(key, sample);
      const endpoint = endpoints.find((each) => each.key === key);
      const needed = [
        ...(consolePermissions(key) ?? ['the control token']),
        ...(endpoint && 'permission' in endpoint.auth ? [endpoint.auth.permission] : []),
      ];
      if (key.includes(' /_kyclone/') && key.startsWith('GET ') && !SECRETS.test(key)) {
        expect(needed).toEqual([]);
      }

      if (needed.length > 0)
        expect(reply, key).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
      // What names identifiers is judged by each of them.
      else if (reply.status === 403) expect(reply.text).toMatch(/This console session lacks the permission/);
      else expect(reply.status, reply.text).toBeLessThan(400);
    },
  );

  test.eachWith(ofSession.map(({ key }) => key).filter((key) => !key.startsWith('GET ')))(
    '%s: a read-only session changes and reveals nothing',
    async (service, key) => {
      const call = await asSession(service, { is_readonly: true });
      const sample = (await samples[key](await setStage(service))) as LooseParts;
      const reply = await call(key, sample);

      if (key === 'POST /_kyclone/search') expect(reply.status).toBe(200);
      else expect(reply, key).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    },
  );

  test('a read-only session reads all but what is whole secrets', async (service) => {
    const call = await asSession(service, { is_readonly: true });
    const stage = await setStage(service);
    const reads = ofSession.filter(({ key }) => key.startsWith('GET ') && key !== 'GET /_kyclone/stream');
    for (const { key } of reads) {
      const { status, text } = await call(key, await samples[key](stage));
      expect(status, `${key} ${text}`).toBe(SECRETS.test(key) ? 403 : 200);
    }
  });
});
