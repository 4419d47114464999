import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { readInspection } from '../../src/client/inspection.ts';

test('readInspection: joins the pages of the vault, and keeps the rest of the first', async () => {
  const asked: unknown[] = [];
  const pages = [
    { label: 'active', vault: ['a', 'b'], vault_count: 3, vault_next: 'after b' },
    { label: null, vault: ['c'], vault_count: 3, vault_next: null },
  ];
  const call = (_key: string, options: unknown) => {
    asked.push(options);
    return Promise.resolve(pages.shift());
  };
  const read = await readInspection({ call } as unknown as Client, 'fp_id_a', { environment: 'live' });
  expect(read).toEqual({ label: 'active', vault: ['a', 'b', 'c'], vault_count: 3, vault_next: null });
  expect(asked).toEqual([
    { params: { fp_id: 'fp_id_a' }, query: { environment: 'live', vault_cursor: undefined } },
    { params: { fp_id: 'fp_id_a' }, query: { environment: 'live', vault_cursor: 'after b' } },
  ]);
});

test('readInspection: a daemon from before there were pages is asked once', async () => {
  const pages = [{ vault: ['a'] }];
  const call = () => Promise.resolve(pages.shift());
  const read = await readInspection({ call } as unknown as Client, 'fp_id_a', { environment: 'live' });
  expect(read.vault).toEqual(['a']);
});
