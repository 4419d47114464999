/** Bank links, and one bank link with its facts, accounts, transactions and holdings (contract §7). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell } from '../../../tui/state/model.ts';
import { accountsPane, holdingsPane, transactionsPane } from './ledger.ts';
import { isBusinessId } from '../../../kernel/ids/ids.ts';
import { placeOf, subjectOf } from '../../entities/screen/place.ts';
import type { PageQuery, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { listPane, listScreen, recordPane } from '../../../tui/screens/list-pane.ts';
import { fact, factRows, type Fact } from '../../../tui/screens/fact-rows.ts';
import { copiesOf } from '../../../tui/screens/space.ts';

type LinkItem = AnswerOf<'GET /_kyclone/bank_links'>['data'][number];

export const banksScreen = listScreen(
  {
    name: 'bank links',
    says: 'bank links with accounts, balances and transactions',
    words: 'accounts transactions balance money',
  },
  listPane('GET /_kyclone/bank_links', {
    title: 'Bank links',
    columns: [
      { heading: 'LINK', isId: true, cell: 'id' },
      { heading: 'USER OR BUSINESS', isId: true, grows: true, cell: 'fp_id' },
      { heading: 'STATE', cell: stateCell },
      { heading: 'INSTITUTION', drop: 2, cell: 'institution_name' },
      { heading: 'EXTERNAL ID', drop: 1, cell: 'external_id' },
      { heading: 'CREATED (UTC)', cell: ({ created_at: at }) => shortTime(at) },
    ],
    empty: 'No bank links',
    changesWith: ['request'],
    isFeed: true,
    row: ({ id, fp_id }, { space }) => ({
      id,
      ...copiesOf(['bank', 'links', 'get', id], `/bank_links/${id}`, space),
      opens: { screen: 'bank', params: { link_id: id, fp_id } },
      subject: subjectOf(fp_id),
    }),
  }),
);

export function stateCell({ state, error_code }: Pick<LinkItem, 'state' | 'error_code'>): Cell {
  return state === 'connected' ? { text: state, tone: 'good' } : { text: error_code ?? state, tone: 'bad' };
}

const linkPane = recordPane(findLink, {
  title: 'Link',
  empty: 'Nothing is known about it',
  changesWith: ['request', 'clock', 'event'],
  page: linkPage,
});

export const bankScreen: ScreenDefinition = {
  title: ({ link_id = '' }) => `Bank link ${link_id}`,
  subject: ({ fp_id }) => (fp_id === undefined ? undefined : subjectOf(fp_id)),
  panes: [accountsPane, transactionsPane, holdingsPane, linkPane],
};

async function findLink({ client }: Source, { params: { link_id = '' } }: PageQuery) {
  const [link, { accounts }] = await Promise.all([
    client.call('GET /bank_links/{link_id}', { params: { link_id } }),
    client.call('GET /bank_links/{link_id}/accounts', { params: { link_id } }),
  ]);
  return { link, accounts };
}

function linkPage({ link, accounts }: Awaited<ReturnType<typeof findLink>>, { space }: Source) {
  const { fp_id, error_code: error } = link;
  const persona = accounts.find(({ raw_provider_data: raw }) => raw !== null)?.raw_provider_data?.persona;
  const refreshed = Object.entries(link.products).map(([product, times]): Fact => {
    const { refreshed_at: at, last_attempted_at: tried } = times;
    const ago = at === null ? 'never' : shortTime(at);
    return {
      name: `refreshed ${product}`,
      text: tried === at || tried === null ? ago : `${ago}, tried ${shortTime(tried)}`,
    };
  });
  const facts: readonly Fact[] = [
    {
      name: 'state',
      text: error === null ? link.state : `${link.state}, ${error}`,
      tone: link.state === 'connected' ? 'good' : 'bad',
    },
    { name: 'institution', text: `${link.institution_name} (${link.institution_id})` },
    ...fact('persona', persona),
    { name: isBusinessId(fp_id) ? 'business' : 'user', text: fp_id, opens: placeOf(fp_id) },
    ...fact('external id', link.external_id),
    { name: 'created (UTC)', text: shortTime(link.created_at) },
    { name: 'synced (UTC)', text: link.last_synced_at === null ? 'never' : shortTime(link.last_synced_at) },
    ...refreshed,
  ];
  const rows = factRows(facts, {
    id: link.id,
    ...copiesOf(['bank', 'links', 'get', link.id], `/bank_links/${link.id}`, space),
    subject: subjectOf(fp_id),
  });
  return { rows, record: link };
}
