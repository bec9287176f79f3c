import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../support/command.ts'
import { fileOf } from '../../support/files.ts'
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
})
