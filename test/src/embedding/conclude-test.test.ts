import { describe, expect, onTestFinished, test } from 'vitest'
import { concludeTest, type Dump, type Verify } from '../../../src/embedding/conclude-test.ts'
import { createUnderstudy, type EmbeddedWorld } from '../../../src/embedding/index.ts'

async function freshWorld(): Promise<EmbeddedWorld> {
  const understudy = await createUnderstudy({ seed: 'watch' })
  onTestFinished(() => understudy.close())
  return understudy.createWorld({ id: 'w' })
}

const headers = { 'x-secrets-token': 'root' }
const unmatched = (world: EmbeddedWorld) => world.inject({ url: '/v1/nothing/here', headers })
const sendRefused = (world: EmbeddedWorld) =>
  world.inject({ url: '/v1/secret/data/app', headers: { 'x-secrets-token': 'wrong' } })
const writeSecret = (world: EmbeddedWorld) =>
  world.inject({
    method: 'POST',
    url: '/v1/secret/data/app',
    headers,
    payload: { data: { text: 'x'.repeat(500) } },
  })

/** Returns the output and the message of the error. */
function concluded(
  world: EmbeddedWorld,
  {
    verify = {},
    dump = 'on-failure',
    failed = false,
  }: {
    readonly verify?: Verify
    readonly dump?: Dump
    readonly failed?: boolean
  } = {},
) {
  let text = ''
  let mistake = ''
  try {
    const write = (more: string) => {
      text += more
    }
    concludeTest(world, { name: 'a test', verify, dump, write }, failed)
  } catch (error) {
    mistake = String(error)
  }
  return { text, mistake }
}

describe('behaviour/program#test-runners: verify', () => {
  test('by default unmatched requests are reported in one line each, and refused ones are not', async () => {
    const world = await freshWorld()
    await unmatched(world)
    await sendRefused(world)
    const { because } = world.explain('r1')
    expect(concluded(world)).toEqual({
      text: `understudy: in "a test" a request matched no operation: r1 GET /v1/nothing/here 404: ${because}\n`,
      mistake: '',
    })
  })

  test('fails the test for requests that it must not make', async () => {
    const world = await freshWorld()
    await unmatched(world)
    await sendRefused(world)
    const both = concluded(world, { verify: { unmatched: 'fail', refused: 'fail' }, dump: 'never' })
    expect(both.text).toBe('')
    expect(both.mistake).toBe(
      `Error: a request matched no operation: r1 GET /v1/nothing/here 404: ${world.explain('r1').because}\n` +
        `a request was refused: r2 GET /v1/secret/data/app 403: ${world.explain('r2').because}`,
    )
    const one = concluded(world, { verify: { unmatched: 'ignore', refused: 'warn' } })
    expect(one.mistake).toBe('')
    expect(one.text).toMatch(/^understudy: in "a test" a request was refused: r2 [^\n]*\n$/)
  })

  test('a test whose requests were all served has no summary', async () => {
    const world = await freshWorld()
    await writeSecret(world)
    const verify = { unmatched: 'fail', refused: 'fail' } as const
    expect(concluded(world, { verify })).toEqual({ text: '', mistake: '' })
  })
})

describe('behaviour/program#test-runners: dump', () => {
  test('the report of a failed test explains refused requests and lists differences', async () => {
    const world = await freshWorld()
    await sendRefused(world)
    await writeSecret(world)
    await world.inject({ method: 'DELETE', url: '/v1/sys/policies/acl/default', headers })
    const { text } = concluded(world, { failed: true })
    const lines = text.split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'understudy: requests of "a test" that were refused or unmatched:',
      `  refused r1 GET /v1/secret/data/app 403: ${world.explain('r1').because}`,
      expect.stringContaining('  refused r3 DELETE /v1/sys/policies/acl/default 400: '),
    ])
    expect(lines[3]).toBe('understudy: changes in the world of the test since its start:')
    expect(lines.slice(4)).toContainEqual(
      expect.stringMatching(/^ {2}\+ secrets\.kv\S* .{1,400}…$/),
    )
    expect(text.endsWith('\n')).toBe(true)
  })

  test('shows fingerprints in place of secrets and of tokens', async () => {
    const world = await freshWorld()
    world.secrets.put('secret/app', { password: 'hunter2-hunter2' })
    await world.inject({
      method: 'POST',
      url: '/v1/auth/token/create',
      headers,
      payload: { id: 'token-of-ada', policies: ['default'] },
    })
    const { text } = concluded(world, { dump: 'always' })
    expect(text).toMatch(/^ {2}\+ secrets\.kv2-data .*fp:[0-9a-f]{12}/m)
    expect(text).toMatch(/^ {2}\+ secrets\.tokens fp:[0-9a-f]{12} /m)
    expect(text).not.toMatch(/hunter2|token-of-ada/)
  })

  test('is written when verify fails the test, always, or never', async () => {
    const world = await freshWorld()
    await unmatched(world)
    const form = /requests of "a test" that were refused or unmatched/
    expect(concluded(world, { verify: { unmatched: 'fail' } }).text).toMatch(form)
    expect(concluded(world, { dump: 'always' }).text).toMatch(form)
    expect(concluded(world, { dump: 'never', failed: true }).text).not.toMatch(form)
  })

  test('shows changed and deleted rows, or says that no row changed', async () => {
    const world = await freshWorld()
    expect(concluded(world, { dump: 'always' }).text).toBe(
      'understudy: requests of "a test" that were refused or unmatched:\n  nothing\n' +
        'understudy: changes in the world of the test since its start:\n  nothing\n',
    )
    await world.inject({ method: 'DELETE', url: '/v1/sys/mounts/orch', headers })
    await world.inject({
      method: 'POST',
      url: '/v1/sys/mounts/secret/tune',
      headers,
      payload: { description: 'other' },
    })
    const { text } = concluded(world, { dump: 'always' })
    expect(text).toMatch(/^ {2}- secrets\.mounts /m)
    expect(text).toMatch(/^ {2}~ secrets\./m)
  })
})
