import { runInNewContext } from 'node:vm'
import { describe, expect } from 'vitest'
import { matchers } from '../../../src/embedding/matchers.ts'
import type { ServedWorld } from '../../../src/embedding/test-world.ts'
import { test } from '../../../src/embedding/vitest.ts'

/**
 * Tests of the assertions of `infra-understudy/vitest`, `/jest` and `/node`
 * (behaviour/program#test-runners).
 */

const headers = { 'x-secrets-token': 'root' }
const read = (world: ServedWorld, path: string) => fetch(`${world.url}/v1/${path}`, { headers })

/** Returns the first lines of the message of a failing assertion. */
function messageOf(assertion: () => unknown, lines = 1): string {
  try {
    assertion()
  } catch (error) {
    return String((error as Error).message)
      .split('\n')
      .slice(0, lines)
      .join('\n')
  }
  return 'nothing: it holds'
}

describe('behaviour/program#test-runners: matchers of requests', () => {
  test('toHaveReceived counts the requests that fit', async ({ world }) => {
    await read(world, 'secret/data/app')
    await read(world, 'secret/data/app')
    const match = { method: 'GET', path: '/v1/secret/data/*' }
    expect(world).toHaveReceived(match)
    expect(world).toHaveReceived(match, 2)
    expect(world).toHaveReceived(match, { atMost: 2 })
    expect(world).not.toHaveReceived({ method: 'DELETE' })
    expect(world).not.toHaveReceived(match, 1)
  })

  test('and shows the actual result', async ({ world }) => {
    await read(world, 'secret/data/app')
    const put = { method: 'PUT', path: '/v1/secret/data/app' }
    expect(messageOf(() => expect(world).toHaveReceived(put), 99)).toBe(
      '0 requests match {"method":"PUT","path":"/v1/secret/data/app"}, not at least 1; the nearest requests are r1: /method is "GET", not "PUT"',
    )
    expect(messageOf(() => expect(world).not.toHaveReceived({ method: 'GET' }), 2)).toBe(
      'expected no such requests, but 1 match {"method":"GET"}\n  r1 GET /v1/secret/data/app 404',
    )
    const mistaken = { verb: 'GET' } as object
    expect(messageOf(() => expect(world).toHaveReceived(mistaken))).toMatch(/verb/)
  })
})

describe('behaviour/program#test-runners: tests in a realm of their own, as Jest has them', () => {
  test('expected members may be a part of the actual ones', ({ world }) => {
    world.secrets.put('secret/app', { user: 'u', deep: { a: 1, b: 2 } })
    expect(world).toHaveSecret('secret/app', runInNewContext('({ deep: { b: 2 } })'))
    expect(world).not.toHaveSecret('secret/app', runInNewContext('({ deep: { b: 3 } })'))
  })

  test('a test may end its world itself', ({ world }) => world.delete())

  test('a failed verification fails the matcher instead of throwing', ({ world }) => {
    const thrown: unknown = runInNewContext(
      "Object.assign(new Error('none'), { name: 'VerificationError' })",
    )
    const requests = {
      verify() {
        throw thrown
      },
    }
    const received = matchers.toHaveReceived(
      Object.create(world, { requests: { value: requests } }),
      {},
    )
    expect([received.pass, received.message()]).toEqual([false, 'none'])
  })
})

describe('behaviour/program#test-runners: matchers of state', () => {
  test('toHaveSecret looks at members of the latest version', ({ world }) => {
    world.secrets.put('secret/app', { user: 'ada', tls: { on: true, port: 1 } })
    expect(world).toHaveSecret('secret/app')
    expect(world).toHaveSecret('secret/app', { user: expect.any(String), tls: { on: true } })
    expect(world).not.toHaveSecret('secret/none')
    expect(world).not.toHaveSecret('secret/app', { user: 'bob' })
    expect(messageOf(() => expect(world).toHaveSecret('secret/none'))).toBe(
      'expected the secret "secret/none"; there are secret/app',
    )
    expect(messageOf(() => expect(world).toHaveSecret('secret/app', { user: 'bob' }))).toBe(
      'expected the secret "secret/app" to have {"user":"bob"}; it has {"user":"ada"}',
    )
    expect(messageOf(() => expect(world).not.toHaveSecret('secret/app', { user: 'ada' }))).toBe(
      'expected the secret "secret/app" not to have {"user":"ada"}; it has {"user":"ada"}',
    )
    expect(messageOf(() => expect(world).not.toHaveSecret('secret/app'))).toBe(
      'expected no secret "secret/app"',
    )
  })

  test('a world without secrets reports that it has none', ({ world }) => {
    expect(messageOf(() => expect(world).toHaveSecret('secret/app'))).toBe(
      'expected the secret "secret/app"; there is none',
    )
  })

  test('toHavePolicy compares the text', ({ world }) => {
    const rules = 'path "secret/*" { capabilities = ["read"] }'
    world.secrets.policy('app', rules)
    expect(world).toHavePolicy('app')
    expect(world).toHavePolicy('app', rules)
    expect(world).toHavePolicy('app', expect.stringContaining('secret/*'))
    expect(world).not.toHavePolicy('other')
    expect(messageOf(() => expect(world).toHavePolicy('app', 'path {}'))).toBe(
      `expected the policy "app" to have "path {}"; it has ${JSON.stringify(rules)}`,
    )
    expect(messageOf(() => expect(world).toHavePolicy('other'))).toMatch(/there are .*app/)
  })

  test('toHaveJob looks at jobs of every namespace', ({ world }) => {
    const group = { Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'i' } }] }
    const job = (more: object) => ({ ID: 'web', Datacenters: ['*'], TaskGroups: [group], ...more })
    world.seed({ scheduler: { namespaces: [{ name: 'team' }] } })
    world.scheduler.run(job({ Priority: 10 }))
    world.scheduler.run(job({ Priority: 20, Namespace: 'team' }))
    expect(world).toHaveJob('web', { Namespace: 'team', Priority: 20 })
    expect(world).toHaveJob('web', { Namespace: 'default', TaskGroups: [expect.anything()] })
    expect(world).not.toHaveJob('web', { Namespace: 'team', Priority: 10 })
    expect(messageOf(() => expect(world).toHaveJob('api'))).toBe(
      'expected the job "api"; there are web, web',
    )
    expect(messageOf(() => expect(world).toHaveJob('web', { Priority: 30 }))).toBe(
      'expected the job "web" to have {"Priority":30}; it has {"Priority":10}',
    )
  })

  test('toHaveNamespace looks at namespaces of the mesh', ({ world }) => {
    world.mesh.namespace({ name: 'team', description: 'Ours' })
    expect(world).toHaveNamespace('team', { description: 'Ours' })
    expect(world).not.toHaveNamespace('others')
    expect(messageOf(() => expect(world).toHaveNamespace('others'))).toBe(
      'expected the namespace "others"; there are default, team',
    )
  })

  test('toHaveTestRun looks for one with these members', async ({ world }) => {
    world.platform.module({ organization: 'acme', name: 'network', provider: 'aws' })
    expect(world).not.toHaveTestRun()
    const runs = 'organizations/acme/tests/registry-modules/private/acme/network/aws/test-runs'
    const reply = await fetch(`${world.url}/api/v2/${runs}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.env()['TFE_TOKEN']}`,
        'content-type': 'application/vnd.api+json',
      },
      body: '{"data":{"type":"test-runs"}}',
    })
    expect(reply.status).toBe(201)
    expect(world).toHaveTestRun({ status: 'queued', verbose: false })
    expect(messageOf(() => expect(world).toHaveTestRun({ status: 'finished' }))).toMatch(
      /^expected the test run \{"status":"finished"\}; there are trun-\w{16} \(queued\)$/,
    )
  })
})
