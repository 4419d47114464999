/** A seal for each row that grants something: an HMAC under a key of the vault. Rows from before get theirs once. */
export const rowSeals = `
ALTER TABLE api_keys ADD COLUMN seal BLOB;
ALTER TABLE client_tokens ADD COLUMN seal BLOB;
ALTER TABLE webhooks ADD COLUMN seal BLOB;
ALTER TABLE entities ADD COLUMN seal BLOB;
`;
