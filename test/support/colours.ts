/**
 * Imported before anything that draws: under NO_COLOR or CI nothing would be coloured, and no theme could be tested.
 */
delete process.env['NO_COLOR'];
process.env['FORCE_COLOR'] = '1';
