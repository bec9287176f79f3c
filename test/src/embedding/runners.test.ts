import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { builtModule } from '../../support/command.ts'

/**
 * Tests of `infra-understudy/node` and `infra-understudy/jest` (behaviour/program#test-runners).
 */

const miss = `(world) => fetch(world.url + '/v1/nothing/here', { headers: { 'x-vault-token': 'root' } })`

/** Runs a module in a process of its own. */
async function run(text: string, ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-runner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'sample.test.mjs')
  writeFileSync(file, text)
  const child = spawn(process.execPath, [...flags, file], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

describe('behaviour/program#embedding: a program without sockets', () => {
  test('stays until its condition is met, and no longer', { timeout: 60_000 }, async () => {
    const { code, stdout } = await run(`
      import { createUnderstudy } from ${builtModule('index')}
      const understudy = await createUnderstudy()
      const tell = ({ message }) => console.log(message)
      await understudy.world().requests.wait({ timeout: 20 }).catch(tell)
      const waiting = understudy.world().requests.wait({ timeout: '10m' }).catch(tell)
      await understudy.close()
      await waiting
    `)
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        'after 20 ms, 0 of 1 requests were received',
        'when the world ended, 0 of 1 requests were received',
        '',
      ],
    ])
  })
})

describe('behaviour/program#test-runners: node:test', () => {
  test('a world for each test, settings by extend, and assertions', {
    timeout: 60_000,
  }, async () => {
    const { code, stdout } = await run(
      `
      import assert from 'node:assert'
      import { expect, test } from ${builtModule('node')}
      const miss = ${miss}
      const strict = test.extend({ verify: { unmatched: 'fail' }, dump: 'never' })
      const other = test.extend({ understudyOptions: { rootToken: 'other' } })
      let [first, server] = []
      test('given', async ({ world, understudy, env, t }) => {
        first = world
        server = understudy
        world.secrets.put('secret/app', { a: 1 })
        expect(world).toHaveSecret('secret/app', { a: 1 })
        expect(world).not.toHaveJob('web')
        assert.strictEqual(env.UNDERSTUDY_URL, world.url)
        assert.strictEqual(t.name, 'given')
      })
      test('fresh', { timeout: 5_000 }, ({ world, understudy }) => {
        assert.notStrictEqual(world.id, first.id)
        assert.strictEqual(understudy, server)
        expect(world).not.toHaveSecret('secret/app')
        expect(world).not.toHavePolicy('app')
        expect(world).not.toHaveNamespace('team')
        expect(world).not.toHaveTestRun()
        expect(world).not.toHaveReceived({})
      })
      strict('strict', async ({ world }) => void (await miss(world)))
      strict('both', async ({ world }) => { await miss(world); throw new Error('by itself') })
      test('wrong', ({ world }) => expect(world).toHaveJob('web'))
      test('ended', ({ world }) => world.delete())
      other('other', ({ world, understudy }) => {
        assert.notStrictEqual(understudy, server)
        assert.strictEqual(world.env().VAULT_TOKEN, 'other')
      })
      test('todo', { todo: true })
      `,
      '--test-reporter=tap',
    )
    const results = stdout.match(/^(?:not )?ok \d+ - .*$/gm)
    expect(results).toEqual([
      'ok 1 - given',
      'ok 2 - fresh',
      'not ok 3 - strict',
      'not ok 4 - both',
      'not ok 5 - wrong',
      'ok 6 - ended',
      'ok 7 - other',
      'ok 8 - todo # TODO',
    ])
    expect(stdout).toMatch(
      /error: 'a request matched no operation: r1 GET \/v1\/nothing\/here 404: /,
    )
    expect(stdout).toContain("error: 'by itself'")
    expect(stdout).toContain(`error: 'expected the job "web"; there is none'`)
    // The process has ended by itself, so the servers are closed.
    expect(code).toBe(1)
  })
})

describe('behaviour/program#test-runners: Jest', () => {
  /** Stub of Jest's globals, with the results of the declared tests. */
  const jest = `
    const tests = []
    const ends = []
    const declare = (kind) => (name, work, timeout) => tests.push({ kind, name, work, timeout })
    globalThis.test = Object.assign(declare('test'), { only: declare('only'), skip: declare('skip') })
    globalThis.afterAll = (end) => ends.push(end)
    globalThis.expect = { extend: (matchers) => console.log(Object.keys(matchers).join()) }
    const { test: worldTest } = await import(${builtModule('jest')})
  `

  test('tests are declared unchanged, each with a world', { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await run(`
      ${jest}
      const miss = ${miss}
      worldTest('plain', async ({ world, env }) => {
        console.log(world.id !== 'default', env.UNDERSTUDY_URL === world.url)
      }, 1_000)
      worldTest.only('only', () => {})
      worldTest.skip('skip', () => {})
      worldTest.extend({ verify: { unmatched: 'fail', refused: 'fail' } })('strict', async ({ world }) => {
        await miss(world)
        throw new Error('by itself')
      })
      worldTest.extend({ understudyOptions: { rootToken: 'other' } })('other', ({ env }) => {
        console.log(env.VAULT_TOKEN)
      })
      for (const { kind, name, work, timeout } of tests) {
        const failure = await work().then(() => '', String)
        console.log([kind, name, timeout, failure].join(' '))
      }
      for (const end of ends) await end()
    `)
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      'toHaveReceived,toHaveSecret,toHavePolicy,toHaveJob,toHaveNamespace,toHaveTestRun',
      'true true',
      'test plain 1000 ',
      'only only  ',
      'skip skip  ',
      'test strict  Error: by itself',
      'other',
      'test other  ',
    ])
    expect(stderr).toMatch(/understudy: in "strict" a request matched no operation: r1 GET/)
    expect(code).toBe(0)
  })

  test('outside Jest the module says where it belongs', { timeout: 60_000 }, async () => {
    const { code, stderr } = await run(`await import(${builtModule('jest')})`)
    expect(stderr).toContain('infra-understudy/jest works only in tests that Jest runs')
    expect(code).toBe(1)
  })
})
