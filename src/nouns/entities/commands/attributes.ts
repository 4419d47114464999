/** Labels, tags and owners: input and output of the commands for users and businesses (contract §10). */
import { isIP } from 'node:net';
import { option, string as stringArg } from '@oclif/core/args';
import { string, custom } from '@oclif/core/flags';
import type { Label } from '../facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import { CliError, parsed, someChange, UsageError } from '../../../cli/shell/failure.ts';
import { liveFlag, spaceFlags, repeatable } from '../../../cli/shell/flags.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { listView, pairs, shortTime } from '../../../cli/shell/layout.ts';

export type Tags = AnswerOf<'GET /users/{fp_id}/tags'>;

const LABEL_WORDS = ['active', 'offboard_fraud', 'offboard_other', 'none'] as const;
export const labelArg = {
  label: option({
    description: `the new label: ${LABEL_WORDS.join(', ')}; without it, the label is shown`,
    options: LABEL_WORDS,
  })(),
};

/** The request body for a label word; `none` removes the label. */
export function labelBody(word: (typeof LABEL_WORDS)[number]): { kind: Label | null } {
  return { kind: word === 'none' ? null : word };
}

export const tagsArg = {
  tags: stringArg({ description: 'tags to add; without any, the tags are listed', multiple: true }),
};
export const tagFlags = {
  remove: string({ summary: 'a tag to remove; repeatable', helpValue: 'TAG', ...repeatable }),
  ...liveFlag,
};

const deviceFlag = (summary: string, helpValue: string) =>
  string({ summary: `${summary}, or none`, helpValue });
export const deviceFlags = {
  'device-id': deviceFlag('the device', 'TEXT'),
  'cookie-id': deviceFlag('the browser', 'TEXT'),
  'ip-address': deviceFlag('an IPv4 or IPv6 address', 'ADDRESS'),
  ...spaceFlags,
};

/** The request body for these flags; `none` removes a value. Throws UsageError if there is nothing to change. */
export function deviceBody(flags: { readonly [Name in keyof typeof deviceFlags]?: unknown }) {
  const valueOf = (name: keyof typeof deviceFlags) => {
    const value = flags[name] as string | undefined;
    return value === 'none' ? null : value;
  };
  const ip_address = valueOf('ip-address');
  if (typeof ip_address === 'string' && isIP(ip_address) === 0)
    throw new UsageError('--ip-address takes an IPv4 or IPv6 address, or none');
  const body = { device_id: valueOf('device-id'), cookie_id: valueOf('cookie-id'), ip_address };
  return defined(someChange(body, 'give --device-id, --cookie-id or --ip-address'));
}

export interface TagCalls {
  list(): Promise<Tags>;
  add(tag: string): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

/**
 * Adds and removes tags, and returns the resulting ones. Changes nothing if a tag to remove doesn't exist, or is also
 * to be added. Throws UsageError and CliError, which contain no tag.
 */
export async function changeTags(
  { add = [], remove = [] }: { add?: readonly string[] | undefined; remove?: readonly string[] | undefined },
  calls: TagCalls,
): Promise<Tags> {
  if (remove.some((tag) => add.includes(tag))) throw new UsageError('The same tag is both added and removed');
  const before = await calls.list();
  const removed = remove.map((tag) => before.find((record) => record.tag === tag)?.id);
  if (!removed.every((id) => id !== undefined)) {
    throw new CliError('A tag to remove does not exist; nothing was changed', { code: 'not_found' });
  }
  for (const tag of add) await calls.add(tag);
  for (const id of new Set(removed)) await calls.remove(id);
  return add.length + removed.length === 0 ? before : await calls.list();
}

/** The response with the label, or `{}` after a change. */
export function labelView(label: Partial<AnswerOf<'GET /users/{fp_id}/label'>>, style: Style): string {
  if (label.kind === undefined) return 'Done';
  return label.kind === null ? 'No label' : pairs({ label: label.kind, since: label.created_at }, style);
}

export const tagListView = listView<Tags>('No tags', [
  ['TAG', 'tag'],
  ['SINCE (UTC)', ({ created_at }) => shortTime(created_at), 1],
  ['ID', 'id'],
]);

export type NewOwner = RequestOf<'POST /businesses/{fp_bid}/owners'>['body'];

/**
 * `fp_id_…=60`, or an external id in place of the id. The daemon checks whether the user exists and what the other
 * owners leave.
 */
export const ownerFlag = custom<NewOwner>({
  helpValue: 'ID=STAKE',
  parse: (text, _context, { name }) => {
    const [, id, stake] = /^([\w.-]+)=0*(100|\d\d?)%?$/.exec(text) ?? [];
    const owner = id === undefined ? id : { fp_id: id, ownership_stake: Number(stake) };
    return parsed(
      owner,
      `--${name} takes the id or external id of a user and a stake from 0 to 100 per cent: fp_id_…=60`,
    );
  },
});

export type OwnersAnswer = AnswerOf<'GET /businesses/{fp_bid}/owners'>;

export const ownerListView = listView<OwnersAnswer>('No owners', [
  ['USER', 'fp_id'],
  ['STAKE', ({ ownership_stake: stake }) => `${stake} %`],
]);
