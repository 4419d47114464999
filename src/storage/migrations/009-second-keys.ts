/** A second copy of keys that stood in one place only, so that a damaged page of one of them shows. */
export const secondKeys = `
CREATE INDEX idempotency_ids_by_entity ON idempotency_ids (fp_id);

CREATE INDEX playbooks_by_age ON playbooks (space, created_at);
`;
