/** Measures the pages of a long list of transactions, and imports of the largest size. */
import { request, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { controlHeaders } from './deliveries.ts';
import type { Server } from './processes.ts';

/** About as many as a body of 1 MiB holds (contract §7.4). */
const ROWS = 4_000;
const LIMIT_BYTES = 1024 * 1024;
const PAGE_SIZE = 100;

/** Makes a link of a new user. Returns the link's id and its first account. */
export async function aLink(
  server: Server,
  home: string,
  persona: string,
): Promise<{ id: string; account: string }> {
  const user = await call(server, 'POST', '/users', '{}');
  const intent = await call(
    { url: server.url, headers: controlHeaders(home) },
    ...(['POST', '/_kyclone/bank_link_intents', JSON.stringify({ fp_id: user['id'], persona })] as const),
  );
  const body = JSON.stringify({ intent_token: intent['intent_token'] });
  const id = String((await call(server, 'POST', '/bank_links', body))['id']);
  const { accounts } = (await call(server, 'GET', `/bank_links/${id}/accounts`)) as {
    accounts: { id: string }[];
  };
  return { id, account: accounts[0]?.id ?? '' };
}

/** Returns the milliseconds that one page of a hundred transactions takes. */
export async function timePage(server: Server, link: string, page: number): Promise<number> {
  const start = performance.now();
  const answer = await call(server, 'GET', `/bank_links/${link}/transactions?page=${page}&size=${PAGE_SIZE}`);
  const elapsed = performance.now() - start;
  const { transactions } = answer as { transactions: unknown[] };
  if (transactions.length !== PAGE_SIZE) throw new Error(`page ${page} holds ${transactions.length}`);
  return elapsed;
}

/** Returns a body of nearly the largest size. Every round has different transactions. */
export function anImport(account: string, round: number): string {
  const rowOf = (serial: number, filler: number) => ({
    ...{ account_id: account, amount: `-${serial % 900}.25`, date: '2026-01-15' },
    ...{ transaction_id: `r${round}-${serial}`, description: 'Groceries'.padEnd(filler, '.') },
  });
  const bodyOf = (filler: number) =>
    JSON.stringify({ transactions: Array.from({ length: ROWS }, (_, serial) => rowOf(serial, filler)) });
  const spare = LIMIT_BYTES - Buffer.byteLength(bodyOf(0)) - ROWS;
  return bodyOf('Groceries'.length + Math.floor(spare / ROWS));
}

export async function timePost(server: Server, path: string, body: string): Promise<number> {
  const start = performance.now();
  await call(server, 'POST', path, body);
  return performance.now() - start;
}

function call(
  { url, headers }: Pick<Server, 'url' | 'headers'>,
  method: string,
  path: string,
  body?: string,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers }, (answer) => {
      void textOf(answer).then((text) => {
        if (answer.statusCode === 200) resolve(JSON.parse(text) as Record<string, unknown>);
        else reject(new Error(`${path} answered ${answer.statusCode ?? 0}: ${text}`));
      }, reject);
    });
    outgoing.on('error', reject).end(body);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
