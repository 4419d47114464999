import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { statementRefused } from './failures.ts';
import type { Mistake, Reading, StatementRow } from './rows.ts';

/** Transactions as the API takes them: `{"transactions": […]}` or the list. Throws a refusal for anything else. */
export function readJson(text: string): Reading {
  const value = parsed(text);
  const list = isJsonObject(value) ? value['transactions'] : value;
  if (!Array.isArray(list)) {
    throw statementRefused('The file is to hold {"transactions": [...]} or a list of transactions');
  }
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, row] of list.entries()) {
    const place = `transaction ${index + 1}`;
    if (isJsonObject(row)) rows.push({ place, members: row });
    else mistakes.push({ place, member: undefined, reason: 'must be an object' });
  }
  return { rows, mistakes };
}

/** JSON.parse quotes the text in its messages; this doesn't. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw statementRefused('The file is not JSON');
  }
}
