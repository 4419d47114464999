/** Second copies of keys that existed once only, so that a damaged page of one copy is detected. */
export const secondKeys = `
CREATE INDEX idempotency_ids_by_entity ON idempotency_ids (fp_id);

CREATE INDEX playbooks_by_age ON playbooks (space, created_at);
`;
