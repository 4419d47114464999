// The honest and bare alternative that `npm run bench` measures against: node:http, JSON.parse and the same SQLite with
// the same durability (WAL, synchronous=FULL). The values lie in plaintext rows; one transaction a request; no
// authentication, validation, encryption, history, duplicates index or log.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from './bare-sqlite.js';

const database = new DatabaseSync(join(process.argv[2], 'baseline.db'));
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE users (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE vault_values (user TEXT, identifier TEXT, value TEXT, PRIMARY KEY (user, identifier)) STRICT, WITHOUT ROWID;
  CREATE TABLE transactions (id TEXT PRIMARY KEY, date TEXT, row TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE reads (seq INTEGER PRIMARY KEY, entry TEXT) STRICT;
  CREATE INDEX transactions_by_date ON transactions (date, id);
`);
const insertUser = database.prepare('INSERT INTO users VALUES (?)');
const insertValue = database.prepare('INSERT INTO vault_values VALUES (?, ?, ?)');
const findValue = database.prepare('SELECT value FROM vault_values WHERE user = ? AND identifier = ?');

function inTransaction(work) {
  return (body) => {
    database.exec('BEGIN');
    const result = work(body);
    database.exec('COMMIT');
    return result;
  };
}

let users = 0;
const create = inTransaction((body) => {
  const id = `user_${(users += 1)}`;
  insertUser.run(id);
  for (const [identifier, value] of Object.entries(body)) insertValue.run(id, identifier, value);
  return { id };
});

const insertTransaction = database.prepare('INSERT OR REPLACE INTO transactions VALUES (?, ?, ?)');
const importAll = inTransaction(({ transactions }) => {
  for (const row of transactions) insertTransaction.run(row.transaction_id, row.date, JSON.stringify(row));
  return {};
});

function read(id, body) {
  return Object.fromEntries(
    body.fields.map((identifier) => [identifier, findValue.get(id, identifier)?.value ?? null]),
  );
}

const insertRead = database.prepare('INSERT INTO reads (entry) VALUES (?)');

/** Reads, and writes which fields were read and why: as durable as a creation. */
function readAndLog(id, body) {
  insertRead.run(JSON.stringify({ id, ...body }));
  return read(id, body);
}

function answerTo(url, body) {
  if (url === '/users') return create(body);
  if (url === '/import') return importAll(body);
  const [, , id, action] = url.split('/');
  return action === 'logged' ? readAndLog(id, body) : read(id, body);
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const answer = answerTo(request.url, body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.once('SIGTERM', () => process.exit(0));
