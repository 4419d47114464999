import type { AnswerOf } from '../../contract/registry.ts';
import { columns, printable, type Style } from '../shell/output.ts';
import type { Inspection } from '../vault/view.ts';

export type NewToken = AnswerOf<'POST /users/{fp_id}/client_token'>;

/** The token and nothing else, for `TOKEN=$(…)`. */
export function newTokenView({ token }: NewToken): string {
  return printable(token);
}

/** What is said beside it. */
export function tokenNote({ fields, expires_at }: NewToken): string {
  return `For ${fields.join(', ')}; expires ${expires_at}`;
}

export function tokenListView(tokens: Inspection['tokens'], style: Style): string {
  const rows = tokens.map(({ id, scope, fields, expires_at, revoked }) => [
    id,
    scope,
    expires_at,
    revoked ? 'yes' : 'no',
    fields.join(' '),
  ]);
  return columns(['ID', 'SCOPE', 'EXPIRES', 'REVOKED', 'FIELDS'], rows, style, 'No tokens');
}
