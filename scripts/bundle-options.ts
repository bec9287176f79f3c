import type { BuildOptions } from 'esbuild'

/** How everything is built that runs on Node. */
export const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  // A package of its own licence and size, and Vitest, which is the caller's own.
  external: ['openpgp', 'vitest'],
} as const satisfies BuildOptions

/** How CommonJS modules are built. */
export const commonjs = {
  ...common,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
} as const satisfies BuildOptions
