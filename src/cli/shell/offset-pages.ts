/** Lists whose pages are numbered from 0 (contract §0.9). */
import { integerFlag, pageFlags } from './flags.ts';

export const offsetFlags = {
  page: integerFlag({ summary: 'which page, from 0 on', min: 0, helpValue: 'N' }),
  'page-size': pageFlags['page-size'],
};

export function offsetQuery(flags: { page?: number | undefined; 'page-size'?: number | undefined }) {
  return { page: flags.page, page_size: flags['page-size'] };
}
