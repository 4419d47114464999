import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';

test('startKyclone: starts where a test environment such as jsdom has put in typed arrays of its own', async () => {
  vi.stubGlobal('Uint8Array', runInNewContext('Uint8Array'));
  try {
    const { startKyclone } = await import('../../src/testing/index.ts');
    await using kyclone = await startKyclone();
    const { id: fp_id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
    const decrypted = await kyclone.client.call('POST /users/{fp_id}/vault/decrypt', {
      params: { fp_id },
      body: { fields: ['id.first_name'], reason: 'a test' },
    });
    expect(decrypted).toEqual({ 'id.first_name': 'Jane' });
  } finally {
    vi.unstubAllGlobals();
  }
});
