/**
 * A seal for each row that grants access: an HMAC under a key of the vault. Older rows are sealed once, at the upgrade.
 */
export const rowSeals = `
ALTER TABLE api_keys ADD COLUMN seal BLOB;
ALTER TABLE client_tokens ADD COLUMN seal BLOB;
ALTER TABLE webhooks ADD COLUMN seal BLOB;
ALTER TABLE entities ADD COLUMN seal BLOB;
`;
