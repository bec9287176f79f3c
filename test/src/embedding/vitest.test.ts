import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, expectTypeOf, onTestFinished, test as plain } from 'vitest'
import type { Understudy } from '../../../src/embedding/index.ts'
import { type ServedWorld, test } from '../../../src/embedding/vitest.ts'
import { builtModule } from '../../support/command.ts'

const headers = { 'x-vault-token': 'root' }
const secret = (world: ServedWorld) => `${world.url}/v1/secret/data/app`
const put = (world: ServedWorld) =>
  fetch(secret(world), { method: 'POST', headers, body: '{"data":{"a":1}}' })

const frozen = test.extend({
  understudyOptions: [
    { clock: 'frozen@2026-01-01T00:00:00Z', rootToken: 'other' },
    { scope: 'worker' },
  ],
})

/** Worlds that the tests of this file received, in order. */
const given: ServedWorld[] = []

describe('behaviour/program#embedding: a world per test', () => {
  test('the world is served and begins empty', async ({ world, understudy }) => {
    given.push(world)
    expectTypeOf(world).toEqualTypeOf<ServedWorld>()
    expectTypeOf(world.url).toEqualTypeOf<string>()
    expectTypeOf(understudy).toEqualTypeOf<Understudy>()
    expect(world.url).not.toContain('/_world/')
    expect(world.url).not.toBe(understudy.url)
    const before = await fetch(secret(world), { headers })
    const written = await put(world)
    expect([before.status, written.status]).toEqual([404, 200])
  })

  test('a fork has an address, also for the compiler', async ({ world }) => {
    await put(world)
    const fork = world.fork()
    expectTypeOf(fork.url).toEqualTypeOf<string>()
    const reply = await fetch(secret(fork), { headers })
    expect(reply.status).toBe(200)
    fork.delete()
  })

  test('the next test has another world on the same server', async ({ world, understudy }) => {
    given.push(world)
    expect(given[0]?.id).not.toBe(world.id)
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default', world.id])
    const reply = await fetch(secret(world), { headers })
    expect(reply.status).toBe(404)
  })

  test('the variables of a test lead to the whole of each API', async ({ env }) => {
    const keys = await fetch(`${env['CONSUL_HTTP_ADDR']}/v1/kv/?keys`, {
      headers: { 'x-consul-token': String(env['CONSUL_HTTP_TOKEN']) },
    })
    const nodes = await fetch(`${env['NOMAD_ADDR']}/v1/nodes`)
    expect([keys.status, nodes.status]).toEqual([200, 200])
    expect(keys.headers.get('x-consul-index')).not.toBeNull()
  })

  test('the worlds of earlier tests are deleted', ({ understudy }) => {
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default'])
  })

  plain('tests that ask for neither get neither', (context) => {
    expect(Object.keys(context)).not.toContain('world')
  })
})

describe('behaviour/program#embedding: a server set up otherwise', () => {
  frozen('by extending the fixture', async ({ world }) => {
    expect(world.clock.view().now).toBe('2026-01-01T00:00:00Z')
    expect(world.info().services.secrets.token).toBe('other')
    const statuses = ['root', 'other'].map(async (token) => {
      const url = `${world.url}/v1/auth/token/lookup-self`
      const { status } = await fetch(url, { headers: { 'x-vault-token': token } })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([403, 200])
  })
})

describe("behaviour/program#test-runners: a test's world", () => {
  test('a test can pass the environment of its world to the clients that it starts', async ({
    world,
    env,
  }) => {
    expectTypeOf(env).toEqualTypeOf<Readonly<Record<string, string>>>()
    expect(env).toEqual(world.env())
    const reply = await fetch(`${env['VAULT_ADDR']}/v1/sys/health`)
    expect([reply.status, world.requests.find().length]).toEqual([200, 1])
  })

  plain('is told on standard error, and may fail the test', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-vitest-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'sample.test.ts'), sample)
    const { code, stdout, stderr } = await vitestOn(folder)
    expect(code).toBe(1)
    const { testResults } = JSON.parse(stdout)
    const results = testResults[0].assertionResults.map(
      ({ title, status, failureMessages }: Record<string, unknown>) => [
        title,
        status,
        String(failureMessages).split('\n')[0],
      ],
    )
    const missing = (id: string) =>
      expect.stringMatching(
        `^Error: a request matched no operation: ${id} GET /v1/nothing/here 404: `,
      )
    expect(results).toEqual([
      ['warns', 'passed', ''],
      ['fails by itself', 'failed', expect.stringContaining('expected 404 to be 200')],
      ['fails by verify', 'failed', missing('r1')],
      ['fails quietly', 'failed', missing('r1')],
      ['is dumped', 'passed', ''],
      ['is silent', 'passed', ''],
    ])
    const stderrLines = stderr.split('\n').filter((line) => /^(understudy:| {2}\S)/.test(line))
    const line = /matched no operation: r\d GET \/v1\/nothing\/here 404: nothing is mounted/.source
    const dump = (name: string) => [
      expect.stringMatching(`^understudy: requests of "${name}" that were refused or unmatched:$`),
      expect.stringMatching(/^ {2}unmatched r\d GET \/v1\/nothing\/here 404: .+$/),
      'understudy: changes in the world of the test since its start:',
      '  nothing',
    ]
    expect(stderrLines).toContainEqual(expect.stringMatching(/^ {2}\+ secrets\.kv2-data \S*\/app/))
    expect(stderrLines.filter((each) => !each.startsWith('  + '))).toEqual([
      expect.stringMatching(`^understudy: in "warns" a request ${line}`),
      expect.stringMatching(`^understudy: in "fails by itself" a request ${line}`),
      ...dump('fails by itself').slice(0, 3),
      ...dump('fails by verify'),
      ...dump('is dumped'),
    ])
  })
})

/** A test file as users write it. */
const sample = `
import { test } from ${builtModule('vitest')}

const miss = (world) =>
  fetch(world.url + '/v1/nothing/here', { headers: { 'x-vault-token': 'root' } })
const strict = test.extend({ verify: { unmatched: 'fail' } })
const quiet = strict.extend({ dump: 'never' })
const ignoring = test.extend({ verify: { unmatched: 'ignore' } })
const dumped = ignoring.extend({ dump: 'always' })

test('warns', async ({ world }) => void (await miss(world)))
test('fails by itself', async ({ world, expect }) => {
  await fetch(world.url + '/v1/secret/data/app', {
    method: 'POST',
    headers: { 'x-vault-token': 'root' },
    body: '{"data":{"a":1}}',
  }).then((reply) => expect(reply.status).toBe(200))
  expect((await miss(world)).status).toBe(200)
})
strict('fails by verify', async ({ world }) => void (await miss(world)))
quiet('fails quietly', async ({ world }) => void (await miss(world)))
dumped('is dumped', async ({ world }) => void (await miss(world)))
ignoring('is silent', async ({ world }) => void (await miss(world)))
`

/** Runs the vitest command on the files of a folder. */
async function vitestOn(folder: string) {
  const command = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
  const child = spawn(
    process.execPath,
    [command, 'run', '--root', folder, '--reporter', 'json', '--testTimeout', '60000'],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    },
  )
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
