// Ends with one sentence under a Node that is too old. Any Node since the first must be able to parse this file and
// those that load it.
'use strict';
/* oxlint-disable no-var, prefer-template -- an old Node has neither const nor templates */
var version = process.versions.node;
var parts = version.split('.');
if (Number(parts[0]) < 20 || (parts[0] === '20' && Number(parts[1]) < 17)) {
  process.stderr.write('Error: kyclone needs Node 20.17 or later, and this is Node ' + version + '\n');
  process.exit(1);
}
