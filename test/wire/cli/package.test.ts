import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { builtContents, noticesFile, thirdPartyNotices } from '../../../scripts/licenses.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'understudy-package-'))
const unpacked = join(folder, 'node_modules/infra-understudy')
let files: readonly string[] = []

/** Packs the built tree and unpacks it as if installed, next to its dependencies. */
beforeAll(async () => {
  const pack = ['pack', '--ignore-scripts', '--json', '--offline', '--pack-destination', folder]
  const { stdout } = await execute('npm', pack, { cwd: root })
  const [packed] = JSON.parse(stdout)
  files = packed.files.map(({ path }: { path: string }) => path)
  mkdirSync(unpacked, { recursive: true })
  const tarball = join(folder, packed.filename)
  await execute('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
  mkdirSync(join(unpacked, 'node_modules'))
  for (const name of Object.keys(manifest().dependencies)) {
    symlinkSync(join(root, 'node_modules', name), join(unpacked, 'node_modules', name))
  }
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

const manifest = () => JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
const command = () => join(unpacked, 'dist/src/cli.js')

/** Runs a program that uses the package, and resolves when the process has ended by itself. */
async function program(code: string): Promise<string> {
  const file = join(folder, 'program.mjs')
  writeFileSync(file, code)
  const { stdout } = await execute(process.execPath, [file], { cwd: folder, timeout: 20_000 })
  return stdout
}

describe('behaviour/program#worlds: the contents of the package', () => {
  test('the package contains only the built program, its types and its documents', () => {
    const others = files.filter((path) => !/^(?:dist|docs)\//.test(path))
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'THIRD-PARTY-LICENSES',
      'package.json',
    ])
    const built =
      /^dist\/src\/(?:(?:schema|known-differences)\.json|choices\.md|(?:packages\/)?[\w-]+\.(?:d\.c?ts|c?js)|inspector\/(?:index\.html|[\w-]+\.(?:js|css))|trace\/trace\.html)$/
    expect(files.filter((path) => path.startsWith('dist/') && !built.test(path))).toEqual([])
  })

  test('the types show no member that only the program itself uses', () => {
    const internal = /@internal\b[^/]*\*\/\s*(?:(?:readonly|get) )?(\w+)/g
    const sources = ['src/embedding/understudy.ts', 'routes/control/worlds/request-history.ts']
    const names = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(internal)].map(([, name]) => name ?? ''),
    )
    expect(names).toEqual(['traces', 'captureMarkdownReport'])
    const types = files.filter((path) => /\.d\.c?ts$/.test(path))
    const text = types.map((path) => readFileSync(join(unpacked, path), 'utf8')).join('\n')
    expect(text).toContain('declare class Understudy {')
    for (const name of ['@internal', ...names.map((each) => `\n    readonly ${each}: `)]) {
      expect(text).not.toContain(name)
    }
    for (const name of names)
      expect(text).not.toMatch(new RegExp(`^ {4}(?:get )?${name}[(<:?]`, 'm'))
  })

  test('the README links only to files in the package', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/(?:\]\(|src(?:set)?=")(?!https?:|#)([^)"#]+)/g)]
    const missing = links.flatMap(([, path = '']) => (files.includes(path) ? [] : [path]))
    expect(links.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
    expect(files).toContain('docs/recipes/conftest.py')
  })

  test('the package contains all files that package.json names', () => {
    const { bin, exports, main, types, typesVersions } = manifest()
    const named = [bin, exports, main, types, typesVersions].flatMap(function leaves(
      value: unknown,
    ): string[] {
      return typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(leaves)
    })
    const missing = named.filter((path) => !files.includes(path.replace('./', '')))
    expect(missing).toEqual([])
    expect(Object.keys(exports)).toEqual([
      '.',
      './vitest',
      './client',
      './global-setup',
      './global-teardown',
      './jest',
      './node',
      './schema.json',
      './package.json',
    ])
    expect(readFileSync(command(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  test('issue 15: the dependencies are exactly the packages that the built files import', () => {
    const { dependencies, peerDependencies } = manifest()
    const declared = Object.keys({ ...dependencies, ...peerDependencies })
    expect(builtContents().external).toEqual(declared.sort())
  })

  test('behaviour/program#executable: the program needs no file outside the executable', () => {
    const source = readFileSync(join(unpacked, 'dist/src/understudy.cjs'), 'latin1')
    const requiredNames = [...source.matchAll(/\brequire\("([^"]+)"\)/g)].map(
      ([, name = '']) => name,
    )
    const packageNames = new Set(requiredNames.filter((name) => !isBuiltin(name)))
    const aside = files.flatMap((path) => /^dist\/src(\/packages\/.*)$/.exec(path)?.[1] ?? [])
    expect([...packageNames].sort()).toEqual([...aside.map((path) => `.${path}`), 'openpgp'].sort())
    // A `require` that the program creates would resolve files next to the executable.
    expect(source).not.toMatch(/createRequire\)?\(moduleUrl/)
  })

  test('issue 15: the declarations use types of Node and Vitest only', () => {
    const imported = files
      .filter((path) => /\.d\.c?ts$/.test(path))
      .flatMap((path) => [
        ...readFileSync(join(unpacked, path), 'utf8').matchAll(
          /^(?! \*).*\b(?:from |import |import\(|declare module )'([^.'][^']*)'/gm,
        ),
      ])
      .map(([, name = '']) => name)
    expect([...new Set(imported)].sort()).toEqual([
      'node:http',
      'node:stream',
      'node:test',
      'vitest',
    ])
  })

  test('the notices and the table of dependencies list all bundled packages', () => {
    const { inputs } = builtContents()
    const builtIn = Object.keys(manifest().devDependencies).filter((name) =>
      inputs.some((path) => path.startsWith(`node_modules/${name}/`)),
    )
    const table = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
    const explained = [...table.matchAll(/^\| ([a-z@][^|]*) \|[^|]*\| built in \|$/gm)].flatMap(
      ([, names]) => names?.split(', ') ?? [],
    )
    expect(explained.sort()).toEqual(builtIn.sort())
    // `npm run licenses` writes the notices.
    expect(readFileSync(noticesFile, 'utf8')).toBe(thirdPartyNotices())
  })

  test('issue 15: the package has no install scripts', () => {
    const names = Object.keys(manifest().scripts)
    expect(names).not.toContain('prepare')
    expect(names.filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([])
  })
})

describe('behaviour/program#command and behaviour/program#embedding: the installed package runs', () => {
  test('the command prints its version, starts, answers and stops', async () => {
    const { version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
    const versionOutput = await execute(process.execPath, [command(), '--version'])
    expect(versionOutput.stdout).toBe(`${version}\n`)
    const child = spawn(process.execPath, [command(), '--port=0', '--log-level=silent'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const [, origin] = /^Ready\. secrets=(\S+) /.exec(line) ?? []
    const reply = await fetch(`${origin}/v1/sys/health`)
    expect(reply.status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('issue 15: compare needs no other package', async () => {
    const serve = [command(), '--port=0', '--log-level=silent', '--dialect=vendor']
    const child = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const [, origin = ''] = /^Ready\. secrets=(\S+) /.exec(line) ?? []
    const requiredNames = [
      'compare',
      '--against',
      origin,
      '--token=root',
      '--sequences=2',
      '--seed=a',
    ]
    const { stdout } = await execute(process.execPath, [command(), ...requiredNames], {
      cwd: folder,
    })
    expect(stdout).toBe('2 sequences with seed a: 0 kinds of differences\n')
  })

  test('an embedding program ends by itself once everything is closed', async () => {
    const printed = await program(`
      import { createUnderstudy } from 'infra-understudy'
      const understudy = await createUnderstudy({ apiPorts: { secrets: 0 } })
      const url = await understudy.listen()
      const headers = { 'x-secrets-token': 'root' }
      // A pending expiry, a keep-alive connection, worlds, and a server that is never opened.
      const token = { method: 'POST', headers, body: '{"ttl":"1h"}' }
      const reply = await fetch(url + '/v1/auth/token/create', token)
      understudy.createWorld({ clock: 'scaled@2' })
      understudy.world().fork()
      await createUnderstudy()
      await understudy.close()
      console.log(reply.status, understudy.worlds().length)
    `)
    expect(printed).toBe('200 3\n')
  })

  test('behaviour/program#figures: objects with the same members share a hidden class after fixtures are read', async () => {
    const printed = await program(`
      import { setFlagsFromString } from 'node:v8'
      import { createUnderstudy } from 'infra-understudy'
      setFlagsFromString('--allow-natives-syntax')
      const haveSameClass = new Function('one', 'other', 'return %HaveSameMap(one, other)')
      const fixtures = { platform: { organizations: [{ name: 'acme' }] } }
      const understudy = await createUnderstudy({ fixtures })
      const build = (name) => {
        const built = {}
        built[name] = ''
        return built
      }
      console.log(haveSameClass(build('not seen before'), build('not seen before')))
      await understudy.close()
    `)
    expect(printed).toBe('true\n')
  })

  test('many workers share one server and open worlds on it', async () => {
    const printed = await program(`
      import { connect } from 'infra-understudy/client'
      import setUp from 'infra-understudy/global-setup'
      import tearDown from 'infra-understudy/global-teardown'
      await setUp()
      const world = await connect().openWorld()
      console.log((await fetch(world.env.VAULT_ADDR + '/v1/sys/health')).status)
      await tearDown()
    `)
    expect(printed).toBe('200\n')
  })

  test('issue 15: `import` and `require` load one program and one set of modules', async () => {
    const printed = await program(`
      import { createRequire } from 'node:module'
      import * as imported from 'infra-understudy'
      import * as client from 'infra-understudy/client'
      import * as runner from 'infra-understudy/node'
      const require = createRequire(import.meta.url)
      const required = require('infra-understudy')
      console.log(
        Object.keys(imported).sort().join() === Object.keys(required).sort().join(),
        imported.createUnderstudy === required.createUnderstudy,
        imported.Refusal === required.Refusal,
        client.ControlError === require('infra-understudy/client').ControlError,
        runner.test === require('infra-understudy/node').test,
      )
    `)
    expect(printed).toMatch(/^true true true true true\n/)
  })

  test('issue 15: packages for rare features are bundled', async () => {
    const printed = await program(`
      import { createUnderstudy } from 'infra-understudy'
      const understudy = await createUnderstudy()
      const tried = (path, body) =>
        understudy.inject({ method: 'POST', url: path, payload: JSON.stringify(body) })
      const JobHCL = ['job "a" {', 'meta { b = yamldecode("c: d").c }', 'group "g" {', 'task "t" {', 'driver = "raw_exec"', '}', '}', '}'].join('\\n')
      const parsed = await tried('/v1/jobs/parse', { JobHCL })
      const refused = await tried('/_mock/worlds', { ide: 1 })
      console.log(parsed.json().Meta, refused.statusCode)
      await understudy.close()
    `)
    expect(printed).toBe("{ b: 'd' } 400\n")
  })

  test('only the Vitest fixture needs Vitest', async () => {
    const printed = await program(`
      import { createUnderstudy } from 'infra-understudy'
      const { default: manifest } = await import('infra-understudy/package.json', { with: { type: 'json' } })
      console.log(typeof createUnderstudy, manifest.peerDependenciesMeta)
    `)
    expect(printed).toBe('function { vitest: { optional: true } }\n')
  })
})
