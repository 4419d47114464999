/**
 * `kyclone/form`: one module without dependencies that a page loads as it is (contract §0.1, §2.3–2.7). The emulator
 * serves it to its own page, too, where it mounts itself, since inline scripts are blocked there.
 */
import { mountFormPage } from './page.ts';

export { VaultError } from './errors.ts';
export { vaultClient } from './client.ts';
export { vaultForm } from './form.ts';
export { mountFormPage };

if (typeof document !== 'undefined') mountFormPage(document);
