/** Calls about snapshots to a real daemon, and about the users in them. */
import type { Kycloned } from '../support/kycloned.ts';

export const idOf = async (daemon: Kycloned, name = 'Canary-71') =>
  String((await daemon.call('POST', '/users', { body: { 'id.first_name': name } })).body['id']);
export const nameOf = async (daemon: Kycloned, id: string) =>
  (
    await daemon.call('POST', `/users/${id}/vault/decrypt`, {
      body: { fields: ['id.first_name'], reason: 'a test' },
    })
  ).body['id.first_name'];
export const idsOf = async (daemon: Kycloned) =>
  ((await daemon.call('GET', '/users')).body['data'] as { id: string }[]).map(({ id }) => id);
export const save = (daemon: Kycloned, name = 'one') =>
  daemon.control('PUT', `/_kyclone/snapshots/${name}?overwrite=true`);
export const load = (daemon: Kycloned, name = 'one') =>
  daemon.control('POST', `/_kyclone/snapshots/${name}/load`);
