import type { BuildOptions } from 'esbuild'

/** Build options of everything that runs on Node. */
export const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
  // `openpgp` is large and has another licence; `vitest` comes from the user's installation.
  external: ['openpgp', 'vitest'],
} as const satisfies BuildOptions

/** Build options of CommonJS modules. */
export const commonjs = {
  ...common,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
} as const satisfies BuildOptions
