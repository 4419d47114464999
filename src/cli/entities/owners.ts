/** Owners as they are typed: whose id, and how many per cent. */
import { custom } from '@oclif/core/flags';
import type { RequestOf, AnswerOf } from '../../contract/registry.ts';
import { UsageError } from '../shell/failure.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { morePagesView } from '../onboardings/view.ts';

export type NewOwner = RequestOf<'POST /businesses/{fp_bid}/owners'>['body'];

/** `fp_id_…=60`, or an external id in its place. Whether there is such a user and whether the stake is allowed is for the daemon to say. */
export const ownerFlag = custom<NewOwner>({
  helpValue: 'ID=STAKE',
  parse: (text, _context, { name }) => {
    const [, id, stake] = /^([\w.-]+)=(\d{1,9})%?$/.exec(text) ?? [];
    if (id !== undefined) return Promise.resolve({ fp_id: id, ownership_stake: Number(stake) });
    return Promise.reject(
      new UsageError(`--${name} takes the id or external id of a user and a stake in per cent: fp_id_…=60`),
    );
  },
});

export type Owners = AnswerOf<'GET /businesses/{fp_bid}/owners'>;

export function ownerListView({ data, meta }: Owners, style: Style): string {
  const rows = data.map(({ fp_id, ownership_stake: stake }) => [fp_id, `${stake} %`]);
  return [table(['USER', 'STAKE'], rows, style, 'No owners'), ...morePagesView(meta, style)].join('\n');
}
