import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { choicesDocument } from '../routes/control/choices.ts'
import { common, commonjs } from './bundle-options.ts'
import {
  compilersAtFirstUse,
  compilersEntry,
  http2AtFirstUse,
  loadSeparatePackages,
  separateEntries,
} from './packages.ts'
import { fixturesSchema } from './schema.ts'
import { traceTemplate } from './trace-template.ts'

/**
 * Builds the folder `dist/src` (`npm run bundle`). The folder receives the whole program as one
 * CommonJS file, with a V8 code cache for the Node version that runs the build; rarely needed
 * packages; the entry modules of the package and the command, which import from the program; the
 * schema of fixtures; the known differences; the named choices; the inspector; and the template of
 * traces. Modules for both `import` and `require` are CommonJS with an ES module wrapper, so that
 * each is loaded once per process.
 */

const outdir = 'dist/src'

/** Plugin that makes entry modules load the built program instead of bundling it. */
const externalProgram: Plugin = {
  name: 'of-the-program',
  setup({ onResolve }) {
    onResolve({ filter: /^\.(?:\.\/cli)?\/server\.ts$/ }, () => ({
      path: './server.cjs',
      external: true,
    }))
    onResolve({ filter: /^\.(?:\.\/embedding)?\/understudy\.ts$/ }, () => ({
      path: './index.cjs',
      external: true,
    }))
  },
}

/** Modules that can be loaded by `import` and `require`, in addition to `index`. */
const modules = ['client', 'global-setup', 'global-teardown', 'jest', 'node']

/** Folder below `src` of each entry module that is not in `src/embedding`. */
const folders: Readonly<Record<string, string>> = { cli: 'cli', program: 'server' }

const entriesOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `src/${folders[name] ?? 'embedding'}/${name}.ts`]))

const program = await build({
  ...commonjs,
  entryPoints: ['src/server/program-exports.ts'],
  outdir,
  entryNames: 'understudy',
  // Code from the V8 code cache cannot use `import()`, but `require` can load every package.
  supported: { 'dynamic-import': false },
  plugins: [compilersAtFirstUse, http2AtFirstUse, loadSeparatePackages],
})
const packages = await build({
  ...commonjs,
  entryPoints: { ...separateEntries },
  outdir: `${outdir}/packages`,
  plugins: [compilersEntry],
})
const cjsModules = await build({
  ...commonjs,
  entryPoints: entriesOf([...modules, 'program']),
  outdir,
  plugins: [externalProgram, loadSeparatePackages],
})
const esmModules = await build({
  ...common,
  entryPoints: entriesOf(['cli', 'vitest']),
  outdir,
  format: 'esm',
  splitting: true,
  // All chunks are in one folder, so that paths in them stay valid.
  chunkNames: 'chunk-[name]-[hash]',
  plugins: [externalProgram, loadSeparatePackages],
})
/**
 * Build whose only purpose is to determine the names of the modules' exports, because CommonJS
 * output does not list its exports.
 */
const esmExports = await build({
  ...common,
  entryPoints: entriesOf(modules),
  outdir,
  format: 'esm',
  write: false,
  plugins: [externalProgram, loadSeparatePackages],
})

/**
 * Builds the page of `/_mock/ui`: one script and one style sheet with hashes of their content in
 * their names, and the HTML that loads them.
 */
rmSync(`${outdir}/inspector`, { recursive: true, force: true })
const inspector = await build({
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  minify: true,
  metafile: true,
  logLevel: 'warning',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryPoints: ['inspector/main.tsx', 'inspector/style.css'],
  entryNames: '[name]-[hash]',
  outdir: `${outdir}/inspector`,
})
const [script = '', style = ''] = ['.js', '.css'].map((ending) => {
  const names = Object.keys(inspector.metafile.outputs)
  return basename(names.find((name) => name.endsWith(ending)) ?? '')
})
const page = readFileSync('inspector/index.html', 'utf8')
writeFileSync(
  `${outdir}/inspector/index.html`,
  page.replace('{script}', script).replace('{style}', style),
)

rmSync(`${outdir}/trace`, { recursive: true, force: true })
mkdirSync(`${outdir}/trace`)
writeFileSync(
  `${outdir}/trace/trace.html`,
  traceTemplate({
    page,
    style: readFileSync(`${outdir}/inspector/${style}`, 'utf8'),
    script: readFileSync(`${outdir}/inspector/${script}`, 'utf8'),
  }),
)

const built: typeof import('../src/server/program.ts') = createRequire(import.meta.url)(
  resolve(outdir, 'program.cjs'),
)
const { compare, fixtureProblems, startServer, ...embedded } = built.program
const exportedNames = {
  index: Object.keys(embedded),
  server: Object.keys({ compare, fixtureProblems, startServer }),
}
for (const [name, names] of Object.entries(exportedNames)) {
  const lines = names.sort().map((each) => `exports.${each} = program.${each}`)
  const text = ["'use strict'", "const { program } = require('./program.cjs')", ...lines, '']
  writeFileSync(`${outdir}/${name}.cjs`, text.join('\n'))
}
writeEsmWrapper('index', exportedNames.index)
for (const name of modules) {
  writeEsmWrapper(name, esmExports.metafile.outputs[`${outdir}/${name}.js`]?.exports ?? [])
}

/** Writes the ES module wrapper of a CommonJS module. */
function writeEsmWrapper(name: string, names: readonly string[]): void {
  const named = names.filter((each) => each !== 'default')
  const lines = [
    `import all from './${name}.cjs'`,
    ...(named.length < names.length ? ['export default all.default'] : []),
    ...(named.length > 0 ? [`export const { ${named.join(', ')} } = all`] : []),
    '',
  ]
  writeFileSync(`${outdir}/${name}.js`, lines.join('\n'))
}

copyFileSync('src/known-differences.json', `${outdir}/known-differences.json`)
copyFileSync(choicesDocument, `${outdir}/choices.md`)
writeFileSync(`${outdir}/schema.json`, JSON.stringify(fixturesSchema()))

const metafiles: readonly Metafile[] = [program, packages, cjsModules, esmModules, inspector].map(
  ({ metafile }) => metafile,
)
const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs))
const external = metafiles
  .flatMap(({ outputs }) => Object.values(outputs))
  .flatMap(({ imports }) => imports)
  .filter((each) => each.external && !each.path.startsWith('.') && !isBuiltin(each.path))
  .map(({ path }) => path)
/**
 * Bundled files as paths from the root of the project, and the packages that remain external.
 * `scripts/licenses.ts` reads both lists.
 */
const contents = { inputs: sorted(inputs), external: sorted(external) }
writeFileSync('dist/contents.json', `${JSON.stringify(contents, null, 2)}\n`)

// The compiled code is cached only after a start and the first request of each API. The cache then
// contains the functions that have run.
const compiled = built.compile()
const understudy = await built.evaluate(compiled).createUnderstudy({ log: false })
const url = await understudy.listen()
for (const path of [
  '/v1/sys/health',
  '/api/v2/ping',
  '/v1/namespaces',
  '/v1/jobs',
  '/_mock/info',
]) {
  await (await fetch(`${url}${path}`)).arrayBuffer()
}
await understudy.close()
writeFileSync(built.codeFile, compiled.createCachedData())

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}
