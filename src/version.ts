/** The version of this package; a test keeps it equal to package.json, which a browser could not read. */
export const VERSION = '0.1.0';
