import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { assetKey, assetListName } from '../src/packed-files.ts'
import { commonjs } from './bundle-options.ts'
import { loadSeparatePackages } from './packages.ts'

/**
 * Builds one executable file of the command, for the present machine and Node
 * (`npm run build:executable`, behaviour/program#executable): a copy of Node with the files of
 * `dist/src` that the command needs.
 */

const require = createRequire(import.meta.url)

const built = 'dist/src'
const outdir = 'dist/executable'
const parts = `${outdir}/parts`
const program = `${outdir}/understudy${process.platform === 'win32' ? '.exe' : ''}`

/** Marker that Node searches for in its own file. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Name under which Node looks up the injected data. */
const resource = 'NODE_SEA_BLOB'

if (!readFileSync(process.execPath).includes(fuse)) {
  throw new Error(`${process.execPath} cannot carry a program; take a Node from https://nodejs.org`)
}

rmSync(outdir, { recursive: true, force: true })
mkdirSync(parts, { recursive: true })

await build({ ...commonjs, entryPoints: ['src/server/executable.ts'], outdir: parts })
await build({
  ...commonjs,
  // The file itself cannot be the entry point, because its first line is for a shell.
  stdin: { contents: "import './src/cli/cli.ts'", resolveDir: '.' },
  outfile: `${parts}/cli.cjs`,
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'of-the-executable',
      setup({ onResolve }) {
        const place = { path: './understudy.cjs', external: true }
        onResolve({ filter: /^\.(?:\.\/cli)?\/server\.ts$/ }, () => place)
      },
    },
    loadSeparatePackages,
  ],
})
await build({
  ...commonjs,
  external: [],
  entryPoints: { openpgp: 'openpgp' },
  outdir: `${parts}/packages`,
})

const inFolder = (from: string, folder: string) =>
  readdirSync(join(from, folder)).map((name) => [`${folder}/${name}`, join(from, folder, name)])
/**
 * Path of the V8 code cache for the Node version that runs the build. `dist/src` may also contain
 * code caches for other versions.
 */
const { codeFile }: typeof import('../src/server/program.ts') = require(
  resolve(built, 'program.cjs'),
)
const files: Readonly<Record<string, string>> = Object.fromEntries([
  ['package.json', 'package.json'],
  ['cli.cjs', `${parts}/cli.cjs`],
  ['understudy.cjs', `${built}/understudy.cjs`],
  ['understudy.code', codeFile],
  ['known-differences.json', `${built}/known-differences.json`],
  ['choices.md', `${built}/choices.md`],
  ...inFolder(built, 'inspector'),
  ...inFolder(built, 'trace'),
  ...inFolder(built, 'packages'),
  ...inFolder(parts, 'packages'),
  [assetListName, `${parts}/${assetListName}`],
])
const keys = Object.entries(files).map(([name, file]) => [assetKey(name), file])
writeFileSync(`${parts}/${assetListName}`, JSON.stringify(keys.map(([key]) => key)))
const settings = {
  main: `${parts}/executable.cjs`,
  output: `${parts}/blob`,
  disableExperimentalSEAWarning: true,
  assets: Object.fromEntries(keys),
}
writeFileSync(`${parts}/settings.json`, JSON.stringify(settings))
execFileSync(process.execPath, ['--experimental-sea-config', `${parts}/settings.json`])

copyFileSync(process.execPath, program)
chmodSync(program, 0o755)
const isMac = process.platform === 'darwin'
// Node's debug symbols are not needed, and its signature would become invalid, so both are removed.
if (process.platform === 'linux') tryRun('strip', [program])
if (isMac) tryRun('codesign', ['--remove-signature', program])
const { inject }: { inject: (...given: unknown[]) => Promise<void> } = require('postject')
await inject(program, resource, readFileSync(settings.output), {
  sentinelFuse: fuse,
  ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
})
if (isMac) tryRun('codesign', ['--sign', '-', program])
rmSync(parts, { recursive: true })

writeFileSync(`${outdir}/LICENSES`, licenses())
const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()
const size = (statSync(program).size / 1e6).toFixed(0)
console.log(`${program}: ${version} with Node ${process.version}, ${size} MB`)

/**
 * Runs a tool. If the tool is missing or fails, prints a warning, because the executable works
 * without it.
 */
function tryRun(tool: string, argv: readonly string[]): void {
  try {
    execFileSync(tool, argv, { stdio: 'ignore' })
  } catch {
    console.warn(`${tool} did not do its part; the executable is made without`)
  }
}

/**
 * Returns the licenses of this program, of its bundled packages and of Node. If Node's license is
 * not found, prints a warning and returns the license's address instead.
 */
function licenses(): string {
  const nodeLicense = ['../LICENSE', '../share/doc/node/LICENSE', '../share/doc/nodejs/copyright']
    .map((path) => join(dirname(process.execPath), path))
    .find((path) => existsSync(path))
  if (nodeLicense === undefined)
    console.warn('no license of Node found; see docs/guide/executable.md')
  const address = `https://github.com/nodejs/node/blob/${process.version}/LICENSE`
  const sections = [
    ['infra-understudy', readFileSync('LICENSE', 'utf8')],
    ['What is built into it', readFileSync('THIRD-PARTY-LICENSES', 'utf8')],
    ['openpgp', readFileSync('node_modules/openpgp/LICENSE', 'utf8')],
    [
      `Node ${process.version}`,
      nodeLicense === undefined ? address : readFileSync(nodeLicense, 'utf8'),
    ],
  ]
  const line = '='.repeat(80)
  return sections.map(([name, text]) => `${line}\n${name}\n${line}\n\n${text}`).join('\n')
}
