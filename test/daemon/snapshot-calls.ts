/** Calls about snapshots to a real daemon, and about the users in them. */
import type { Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt } from '../support/kycloned-calls.ts';

export const idOf = (daemon: Kycloned, name = 'Canary-71') => aUser(daemon, { 'id.first_name': name });
export const nameOf = async (daemon: Kycloned, id: string) =>
  (await decrypt(daemon, id, ['id.first_name'])).body['id.first_name'];
export const idsOf = async (daemon: Kycloned) =>
  ((await daemon.call('GET', '/users')).body['data'] as { id: string }[]).map(({ id }) => id);
export const save = (daemon: Kycloned, name = 'one') =>
  daemon.control('PUT', `/_kyclone/snapshots/${name}?overwrite=true`);
export const load = (daemon: Kycloned, name = 'one') =>
  daemon.control('POST', `/_kyclone/snapshots/${name}/load`);
