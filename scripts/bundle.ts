import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

/**
 * Builds `dist/src` (`npm run bundle`): the whole program as one CommonJS file, with its compiled code
 * for the Node that builds, and beside it the modules that packages and the command name, which take
 * what they offer from it.
 */

const outdir = 'dist/src'

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // Packages that few runs need, and Vitest, which is the caller's own.
  external: ['pino', 'pino-pretty', 'openpgp', 'yaml', '@peculiar/x509', 'nodemailer', 'vitest'],
}

/**
 * Fastify makes compilers of schemas when an app begins, for routes that have some. The APIs here have
 * none, so that their packages are loaded when an embedding program adds such a route.
 */
const compilersAtFirstUse: Plugin = {
  name: 'compilers-at-first-use',
  setup({ onResolve, onLoad }) {
    const filter = /^@fastify\/(?:ajv|fast-json-stringify)-compiler$/
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'compilers' }))
    onLoad({ filter: /./, namespace: 'compilers' }, ({ path }) => ({
      resolveDir: process.cwd(),
      contents: `
        const { createRequire } = require('node:module')
        module.exports = (...options) => {
          let build
          return (...given) => {
            // It is Fastify's dependency, and may be nobody else's to find.
            const fastify = createRequire(createRequire(__filename).resolve('fastify'))
            build ??= fastify('${path}')(...options)
            return build(...given)
          }
        }`,
    }))
  },
}

/** What the command and the fixtures of test runners load of the program is one of the modules below. */
const ofTheProgram: Plugin = {
  name: 'of-the-program',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/server\.ts$/ }, () => ({ path: './server.js', external: true }))
    onResolve({ filter: /^\.\/understudy\.ts$/ }, () => ({ path: './index.js', external: true }))
  },
}

/** The modules beside the program: the command, and what the package offers by itself. */
const modules = [
  'cli',
  'client',
  'global-setup',
  'global-teardown',
  'jest',
  'node',
  'program',
  'vitest',
]

await build({
  ...common,
  entryPoints: ['src/packed.ts'],
  outfile: `${outdir}/understudy.cjs`,
  format: 'cjs',
  // Code that was compiled before cannot import; every package can be required.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "const moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
  plugins: [compilersAtFirstUse],
})
await build({
  ...common,
  entryPoints: modules.map((name) => `src/${name}.ts`),
  outdir,
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [ofTheProgram],
})

const built: typeof import('../src/program.ts') = await import(
  pathToFileURL(`${outdir}/program.js`).href
)
const { startServer, ...embedded } = built.program
for (const [module, offered] of Object.entries({ index: embedded, server: { startServer } })) {
  const names = Object.keys(offered).sort().join(', ')
  const text = `import { program } from './program.js'\nexport const { ${names} } = program\n`
  writeFileSync(`${outdir}/${module}.js`, text)
}

// What has run by then is kept compiled: a start, and the first request of each API.
const script = built.compile()
const understudy = await built.evaluate(script).createUnderstudy({ log: false })
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
writeFileSync(built.codeFile, script.createCachedData())
