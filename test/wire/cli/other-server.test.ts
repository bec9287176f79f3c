import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../support/command.ts'
import {
  isInstalled,
  runCommands,
  sandboxWith,
} from '../../support/documentation/documented-commands.ts'
import { fileOf, readDocument } from '../../support/files.ts'
import { startOtherServer } from '../../support/other-server.ts'

/** Returns a module of the built package, as a string literal of JavaScript. */
const built = (name: string) => JSON.stringify(fileOf(`dist/src/${name}.js`))

/**
 * Program that sends a request to every address of its environment, as clients would: once directly,
 * and once, if `curl` is installed, through the proxies of the environment. The program prints the
 * number of addresses.
 */
const probe = `
  const { execFileSync } = require('node:child_process')
  const addresses = Object.entries(process.env)
    .filter(([name, value]) => /^https?:/.test(value) && !/_proxy$/i.test(name))
    .map(([, value]) => value)
  Promise.all(addresses.map((address) => fetch(address + '/v1/sys/health'))).then(() => {
    try {
      for (const address of addresses) execFileSync('curl', ['-s', address + '/v1/sys/health'])
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    console.log('reached', addresses.length)
  })
`

/**
 * Statements that run the probe as a child process with the variables of a test. The server may be
 * in the process of the test, which therefore must not block.
 */
const runProbe = `
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const variables = { ...process.env, ...env }
  const argv = ['-e', ${JSON.stringify(probe)}]
  console.log((await promisify(execFile)(process.execPath, argv, { env: variables })).stdout)
`

/** Runs a file of JavaScript in an environment, and returns its output. */
async function runFile(
  name: string,
  text: string,
  env: Readonly<Record<string, string>>,
  argv: (file: string, folder: string) => readonly string[],
) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-other-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(fileOf('node_modules/vitest'), join(folder, 'node_modules/vitest'))
  const file = join(folder, name)
  writeFileSync(file, text)
  const child = spawn(process.execPath, [...argv(file, folder)], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

const plain = (file: string) => [file]

/** Fixtures by the test runner, each with a file that runs the probe in a test. */
const fixtures = {
  'node:test': {
    name: 'sample.test.mjs',
    text: `import { test } from ${built('node')}
      test('a', async ({ env }) => { ${runProbe} })`,
    argv: plain,
  },
  Jest: {
    name: 'sample.mjs',
    text: `
      const tests = []
      const ends = []
      globalThis.test = Object.assign((name, work) => tests.push(work), { only() {}, skip() {} })
      globalThis.afterAll = (end) => ends.push(end)
      globalThis.expect = { extend() {} }
      const { test } = await import(${built('jest')})
      test('a', async ({ env }) => { ${runProbe} })
      for (const work of [...tests, ...ends]) await work()`,
    argv: plain,
  },
  Vitest: {
    name: 'sample.test.mjs',
    text: `import { test } from ${built('vitest')}
      test('a', { timeout: 30_000 }, async ({ env }) => { ${runProbe} })`,
    argv: (_file: string, folder: string) => [
      fileOf('node_modules/vitest/vitest.mjs'),
      'run',
      `--root=${folder}`,
      '--disable-console-intercept',
    ],
  },
  'global-setup': {
    name: 'sample.mjs',
    text: `import setUp from ${built('global-setup')}
      const stop = await setUp()
      const env = {}
      ${runProbe}
      await stop()`,
    argv: plain,
  },
} as const

/** Recipes of the documents, each with a test that runs the probe. */
const recipes = {
  pytest: {
    needs: 'pytest',
    files: [
      ['conftest.py', readDocument('docs/recipes/conftest.py')],
      [
        'test_probe.py',
        `import subprocess
def test_probe(world):
    subprocess.run(["node", "probe.cjs"], check=True)
`,
      ],
    ],
    command: 'python3 -m pytest -q -s',
  },
  Go: {
    needs: 'gotest',
    files: [
      ['go.mod', 'module recipe\n\ngo 1.21\n'],
      ['understudy_test.go', readDocument('docs/recipes/understudy_test.go')],
      [
        'probe_test.go',
        `package recipe
import ("os"; "os/exec"; "testing")
func TestProbe(t *testing.T) {
	NewWorld(t, "{}").Setenv(t)
	probe := exec.Command("node", "probe.cjs")
	probe.Stdout, probe.Stderr = os.Stdout, os.Stderr
	if err := probe.Run(); err != nil {
		t.Fatal(err)
	}
}
`,
      ],
    ],
    command: 'go test -vet=off -count=1 -v .',
  },
} as const

describe('behaviour/program#commands: an environment that names another server leads no request to it', () => {
  test.each([
    ['exec', ['exec'], /reached 11/],
    ['rehearse', ['rehearse', '--presets=any-unavailable,secrets-standby'], /any-unavailable/],
  ] as const)('%s', { timeout: 60_000 }, async (_name, command, expected) => {
    const other = await startOtherServer()
    onTestFinished(other.close)
    const { code, stdout, stderr } = await run(
      [...command, '--', process.execPath, '-e', probe],
      other.env,
    )
    expect(other.received).toEqual([])
    expect([code, stderr]).toEqual([0, expect.stringContaining('VAULT__OF_TOMORROW')])
    expect(stdout + stderr).toMatch(expected)
  })

  test.each(Object.keys(fixtures) as (keyof typeof fixtures)[])(
    'the fixtures of %s',
    { timeout: 60_000 },
    async (runner) => {
      const other = await startOtherServer()
      onTestFinished(other.close)
      const { name, text, argv } = fixtures[runner]
      const { code, output } = await runFile(name, text, other.env, argv)
      expect(other.received).toEqual([])
      expect([code, output]).toEqual([0, expect.stringMatching(/reached \d\d/)])
    },
  )

  test.for(Object.keys(recipes) as (keyof typeof recipes)[])(
    'the recipe for %s',
    { timeout: 120_000 },
    async (tool, { skip }) => {
      const { needs, files, command } = recipes[tool]
      skip(!isInstalled(needs), `there is no ${needs} here`)
      const other = await startOtherServer()
      onTestFinished(other.close)
      using sandbox = sandboxWith([['probe.cjs', probe], ...files])
      const variables = Object.entries(other.env).map(([name, url]) => `export ${name}=${url}`)
      // npx would ask a registry for newer versions of itself, through the proxy.
      const settings = [...variables, 'export INFRA_UNDERSTUDY_COMMAND=infra-understudy']
      const output = await runCommands(sandbox.folder, [...settings, command].join('\n'))
      expect(other.received).toEqual([])
      expect(output).toMatch(/reached \d\d/)
    },
  )
})
