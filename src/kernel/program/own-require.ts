/** Loads the packages that ours depends on, wherever the package manager put them. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where Yarn unpacks a package that cannot run from its archive, below a project with Plug'n'Play. */
const UNPLUGGED = `${sep}.yarn${sep}unplugged${sep}`;

/** The `require` of the module at this URL. */
export function ownRequire(url: string): NodeJS.Require {
  const require = createRequire(url);
  const path = fileURLToPath(url);
  const at = path.indexOf(UNPLUGGED);
  // A daemon starts without the caller's NODE_OPTIONS, by which Node knows where Yarn keeps packages.
  if (at === -1 || process.versions['pnp'] !== undefined) return require;
  const map = join(path.slice(0, at), '.pnp.cjs');
  if (existsSync(map)) (require(map) as { setup(): void }).setup();
  return require;
}
