import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../layout.ts';
import type { Style } from '../output.ts';
import { morePagesView } from './onboardings.ts';

export type Owners = AnswerOf<'GET /businesses/{fp_bid}/owners'>;

export function ownerListView({ data, meta }: Owners, style: Style): string {
  const rows = data.map(({ fp_id, ownership_stake: stake }) => [fp_id, `${stake} %`]);
  return [table(['USER', 'STAKE'], rows, style, 'No owners'), ...morePagesView(meta, style)].join('\n');
}
