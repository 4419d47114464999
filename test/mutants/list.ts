/**
 * The breaks of `npm run mutants`: plausible mistakes of one line, spread over the folders of src/. Tests must catch
 * each. Replace an entry whose line has gone by another one of the same folder.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Break {
  readonly file: string;
  /** Exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What goes wrong with it. */
  readonly breaks: string;
  /** Tests that catch it, to be tried first. */
  readonly tests?: readonly string[];
}

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export const countOf = (text: string, find: string) => text.split(find).length - 1;

export const broken = ({ find, replace }: Break, text: string) => text.split(find).join(replace);

export const BREAKS: readonly Break[] = [
  {
    file: 'src/bank-simulation/calendar.ts',
    find: 'weekday === SATURDAY ? 1 : weekday === 0 ? 2 : 0',
    replace: 'weekday === SATURDAY ? 1 : weekday === 0 ? 1 : 0',
    breaks: 'a payday on a Sunday moves to the Saturday before it',
  },
  {
    file: 'src/browser/base-url.ts',
    find: "let base = typeof configured === 'string' ? configured : given;",
    replace: "let base = typeof configured === 'number' ? configured : given;",
    breaks: 'configure({ baseUrl }) has no effect on the components of an app',
    tests: ['test/browser/module.test.ts'],
  },
  {
    file: 'src/cli/shell/exit-codes.ts',
    find: '  lookup: EXIT.notFound,',
    replace: '  lookup: EXIT.failed,',
    breaks: 'a command about something that does not exist ends with 1 in place of 6',
  },
  {
    file: 'src/nouns/webhooks/commands/verify.ts',
    find: 'if (Math.abs(late) <= toleranceMs) {',
    replace: 'if (late <= toleranceMs) {',
    breaks: 'webhooks verify accepts a signature from the future',
  },
  {
    file: 'src/nouns/bank-links/commands/statements/cells.ts',
    find: "const sign = inner !== undefined || signs[0] === '-' ?",
    replace: "const sign = signs[0] === '-' ?",
    breaks: 'an amount in parentheses is imported as a positive one',
  },
  {
    file: 'src/cli/mcp/server.ts',
    find: "({ effect }) => effect === 'reads' || serving.allowsChanges",
    replace: "({ effect }) => effect !== 'deletes' || serving.allowsChanges",
    breaks: 'an assistant may change an instance without --allow-changes',
    tests: ['test/cli/binary/mcp.test.ts'],
  },
  {
    file: 'src/nouns/entities/commands/index.ts',
    find: '      confirm: ({ args }) => `Delete ${kind} ${idOf(args)} and all its data`,\n',
    replace: '',
    breaks: 'users delete asks for no confirmation',
    tests: ['test/cli/matrix.test.ts'],
  },
  {
    file: 'src/client/proven-agent.ts',
    find: 'if (!isProof(proof, secret, { challenge, pid, instance, authority }))',
    replace: "if (typeof proof !== 'string')",
    breaks: 'a client trusts any program that sends some proof',
    tests: ['test/client/known-daemon.test.ts', 'test/cli/impostor.test.ts'],
  },
  {
    file: 'src/client/whole-file.ts',
    find: "return await open(path, 'wx', 0o600);",
    replace: "return await open(path, 'wx');",
    breaks: 'other users of the machine can read a downloaded file',
    tests: ['test/client/download.test.ts', 'test/cli/binary/files.test.ts'],
  },
  {
    file: 'src/contract/validity.ts',
    find: '(text) => DATE_TIME.test(text) && parseInstant(text.toUpperCase()) !== undefined,',
    replace: '(text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),',
    breaks: 'the 30th of February is a valid time',
    tests: ['test/nouns/clock/clock.test.ts'],
  },
  {
    file: 'src/console/routes.ts',
    find: 'const title = pane === undefined || pane === 0 ?',
    replace: 'const title = pane === undefined || pane === 1 ?',
    breaks: 'the address of the second pane of a screen in the console opens the first',
    tests: ['test/console/routes.test.ts'],
  },
  {
    file: 'src/daemon/local-keys.ts',
    find: 'const kept = existsSync(paths.storeFile) ? keptToken(file) : undefined;',
    replace: 'const kept = keptToken(file);',
    breaks: 'the control token of deleted data opens the new data',
    tests: ['test/daemon/lifecycle.test.ts'],
  },
  {
    file: 'src/daemon/listen.ts',
    find: '(!answering.aborted || isRead()) && !reading.aborted',
    replace: '!answering.aborted && !reading.aborted',
    breaks: 'a stop cuts off a download that its client is still reading',
    tests: ['test/daemon/draining.test.ts'],
  },
  {
    file: 'src/daemon/start.ts',
    find: '    if (readLocator(paths.locatorFile)?.nonce === instance.nonce) rmSync(paths.locatorFile, { force: true });\n',
    replace: '',
    breaks: 'a stopped daemon leaves its locator behind',
    tests: ['test/daemon/lifecycle.test.ts'],
  },
  {
    file: 'src/fixtures/webhook-events.ts',
    find: "status: { member: 'status', words: TERMINAL_STATUSES },",
    replace: "status: { member: 'status', words: ONBOARDING_STATUSES },",
    breaks: 'a completed onboarding can be triggered with a status that no ended run has',
    tests: ['test/nouns/webhooks/trigger.test.ts'],
  },
  {
    file: 'src/form/request.ts',
    find: "redirect: 'error',",
    replace: "redirect: 'follow',",
    breaks: 'the form sends a token and values on to where a redirect leads',
  },
  {
    file: 'src/form/form.ts',
    find: "if (entry.kind === 'value') settle(field, entry, written);",
    replace: "if (entry.kind === 'value') written.push(field);",
    breaks: 'the form keeps a sensitive value in its input after it was saved',
    tests: ['test/browser/form.test.ts'],
  },
  {
    file: 'src/hosted/appearance.ts',
    find: 'const FONT = /^[A-Za-z0-9 ,\'"-]{1,200}$/;',
    replace: 'const FONT = /^[A-Za-z0-9 ,\'"-]{1,200}/;',
    breaks: 'the address of a hosted page can inject CSS',
  },
  {
    file: 'src/http/cors.ts',
    find: '(?::[0-9]{1,5})?$/;',
    replace: '(?::[0-9]{1,5})?/;',
    breaks: 'a page of http://localhost.evil.example may call token endpoints',
  },
  {
    file: 'src/http/request-head.ts',
    find: "if (countHeader(request, 'host') !== 1) throw",
    replace: "if (countHeader(request, 'host') < 1) throw",
    breaks: 'a request with two Host headers is served',
  },
  {
    file: 'src/nouns/cursor.ts',
    find: 'const next = rows.length > page.size && last',
    replace: 'const next = rows.length >= page.size && last',
    breaks: 'a last page that is full names a next page',
  },
  {
    file: 'src/kernel/ids/random.ts',
    find: 'if (byte < 248) text',
    replace: 'if (byte < 256) text',
    breaks: 'some characters of tokens and ids are likelier than others',
  },
  {
    file: 'src/outbound/egress-check.ts',
    find: "      return kind === 'public' && protocol === 'https:';",
    replace: "      return kind === 'public';",
    breaks: 'the strict egress policy sends personal data over plain http',
  },
  {
    file: 'src/outbound/tls.ts',
    find: "return { pinned: 'leaf', refusal: outsideDates(leaf, { now, whose: `The certificate of ${host}` }) };",
    replace: "return { pinned: 'leaf', refusal: undefined };",
    breaks: 'a pinned certificate is accepted after it has expired',
  },
  {
    file: 'src/outbound/answer.ts',
    find: 'decoders.flatMap((decoder) => [decoder, byteLimit(maxBytes)]);',
    replace: 'decoders.flatMap((decoder) => [decoder]);',
    breaks: 'a small packed response unpacks to any size',
  },
  {
    file: 'src/pages/markup.ts',
    find: 'return escapeHtml(String(value));',
    replace: 'return String(value);',
    breaks: 'a hostile word of the vocabulary is markup in the docs page',
    tests: ['test/pages/docs-page.test.ts'],
  },
  {
    file: 'src/nouns/webhooks/facts.ts',
    find: '  5 * MINUTE_MS,\n',
    replace: '  5 * SECOND_MS,\n',
    breaks: 'the second retry of a delivery comes after 5 s in place of 5 min',
  },
  {
    file: 'src/nouns/webhooks/service/signing.ts',
    find: 'update(`${id}.${seconds}.${body}`)',
    replace: 'update(`${id}.${body}`)',
    breaks: 'the signature of a webhook does not cover its time',
  },
  {
    file: 'src/nouns/client-tokens/service/index.ts',
    find: "return row?.revoked_at === null && row.key.enabled && !hasTombstone(database, 'token', row.id);",
    replace: "return row?.revoked_at === null && !hasTombstone(database, 'token', row.id);",
    breaks: 'the client tokens of a disabled key still work',
  },
  {
    file: 'src/nouns/entities/service/lists-repository.ts',
    find: "'AND (created_at, fp_id) < (@after_at, @after_id)'",
    replace: "'AND (created_at, fp_id) <= (@after_at, @after_id)'",
    breaks: 'the last entity of a page is the first of the next, too',
    tests: ['test/nouns/entities/search.test.ts'],
  },
  {
    file: 'src/nouns/vault-proxy/service/forwarded-headers.ts',
    find: "  'transfer-encoding',\n",
    replace: '',
    breaks: 'a caller of the vault proxy can set transfer-encoding and smuggle a request',
  },
  {
    file: 'src/nouns/snapshots/service/seal.ts',
    find: '  if (!isAuthentic) throw changed();\n',
    replace: '',
    breaks: 'a snapshot that another program has changed is loaded',
  },
  {
    file: 'src/nouns/clock/service/due-work.ts',
    find: 'if (at !== undefined && (!found || at < found.at)) found = { source, at };',
    replace: 'if (at !== undefined && !found) found = { source, at };',
    breaks: 'a move of the clock does the work of one kind before all others, not in the order of time',
  },
  {
    file: 'src/single-file/main.ts',
    find: "=== 'kycloned';",
    replace: "=== 'kyclone';",
    breaks: 'the single executable is the daemon whatever its name',
    tests: ['test/single-file/single-file.test.ts'],
  },
  {
    file: 'src/storage/database.ts',
    find: "    set(database, 'secure_delete', 'ON', 1);\n",
    replace: '',
    breaks: 'deleted rows stay readable in the file of the store',
    tests: ['test/storage/database.test.ts', 'test/e2e/canary.test.ts'],
  },
  {
    file: 'src/storage/writer.ts',
    find: '      effects.length = effectsBefore;\n',
    replace: '',
    breaks: 'a job that was rolled back still has its effects',
  },
  {
    file: 'src/storage/store-files.ts',
    find: 'if (bytes === undefined || bytes === 0) {',
    replace: 'if (bytes === undefined) {',
    breaks: 'a store that was emptied beside sealed files is taken for a new one',
    tests: ['test/daemon/missing-store.test.ts'],
  },
  {
    file: 'src/testing/events.ts',
    find: '    if (handedOut.has(event.id)) return false;\n',
    replace: '',
    breaks: 'two waits of a test get the same event',
    tests: ['test/testing/wait-for.test.ts'],
  },
  {
    file: 'src/tui/typing.ts',
    find: "return { kind: 'click', line: line - 1, column: column - 1 };",
    replace: "return { kind: 'click', line, column: column - 1 };",
    breaks: 'a click selects the row below',
  },
  {
    file: 'src/vault/files/index.ts',
    find: 'bytes[FLAG_AT] = isLast ? 1 : 0;',
    replace: 'bytes[FLAG_AT] = 0;',
    breaks: 'a sealed file that was cut between two chunks opens as if it were whole',
  },
  {
    file: 'src/vault/identifiers/rule.ts',
    find: 'return end.length > TAIL ? HIDDEN',
    replace: 'return end.length >= TAIL ? HIDDEN',
    breaks: 'the mask of a value of four characters shows all of it',
  },
  {
    file: 'src/vault/fingerprints.ts',
    find: 'const name = `${tenant}/${environment}`;',
    replace: 'const name = tenant;',
    breaks: 'sandbox and live data of a tenant have the same fingerprints',
  },
  {
    file: 'src/vault/envelope.ts',
    find: 'for (const part of context) text += `${part.length}:${part}`;',
    replace: 'for (const part of context) text += part;',
    breaks: 'two contexts give the same key, so a sealed value opens in another place',
  },
  {
    file: 'src/vault/access-log.ts',
    find: "new Set(['log_behind', 'missing', 'damaged'])",
    replace: "new Set(['log_behind', 'damaged'])",
    breaks: 'an access log whose anchor was deleted is reported as intact',
    tests: ['test/daemon/log-anchor.test.ts'],
  },
];
