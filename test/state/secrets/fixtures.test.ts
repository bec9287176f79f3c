import { describe, expect, test } from 'vitest'
import { checkDocument, DocumentError } from '../../../routes/control/state/documents.ts'
import { runParts } from '../../../state/kernel/parts.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import type { SecretsFixtures } from '../../../state/secrets/fixtures.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import {
  envelope,
  error,
  multierrorReply,
  ok,
  statusAndBody,
} from '../../routes/secrets/replies.ts'
import { servedSecrets, testTime } from '../../support/secrets/secrets.ts'

/** Builds a server with fixtures, validated as the command validates them. */
function serverWith(secrets: SecretsFixtures) {
  return servedSecrets({ document: checkDocument([secretsService], { secrets }) })
}

/** Returns the message with which loading fixtures is refused. */
function loadFailure(secrets: SecretsFixtures): string {
  const document = checkDocument([secretsService], { secrets })
  const services = [secretsService]
  const clock = { mode: 'frozen', at: testTime } as const
  try {
    new World({ id: 'test', services, seed: 'test', clock, document })
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.kind === 'invalid') return thrown.message
    throw thrown
  }
  throw new Error('the fixtures were loaded')
}

/** Returns the schema errors of fixtures of the wrong shape. */
function schemaErrors(secrets: unknown): readonly string[] {
  try {
    checkDocument([secretsService], { secrets })
  } catch (thrown) {
    if (thrown instanceof DocumentError) return thrown.problems
    throw thrown
  }
  return []
}

describe('behaviour/program#fixtures: mounts', () => {
  test('are added to those of the start state', async () => {
    const { secrets } = await serverWith({
      mounts: {
        'team/store': { type: 'kv', description: 'of the team', options: { version: '2' } },
        'old/': { type: 'kv-v1', config: { default_lease_ttl: '1h', max_lease_ttl: 7200 } },
      },
    })
    const { data } = (await secrets.get('sys/mounts')).body
    expect(Object.keys(data)).toEqual([
      'cubbyhole/',
      'identity/',
      'kv/',
      'old/',
      'orch/',
      'secret/',
      'sys/',
      'team/store/',
    ])
    expect(data['team/store/']).toMatchObject({
      type: 'kv',
      description: 'of the team',
      options: { version: '2' },
    })
    expect(data['old/']).toMatchObject({
      options: { version: '1' },
      config: { default_lease_ttl: 3600, max_lease_ttl: 7200, force_no_cache: false },
    })
    expect((await secrets.post('team/store/data/a', { data: {} })).status).toBe(200)
    await secrets.post('old/a', { b: 1 })
    expect((await secrets.get('old/a')).body.lease_duration).toBe(3600)
  })

  test('below auth/ are authentication methods', async () => {
    const { secrets } = await serverWith({ mounts: { 'auth/second': { type: 'cloud' } } })
    expect(Object.keys((await secrets.get('sys/auth')).body.data)).toEqual([
      'cloud/',
      'second/',
      'token/',
    ])
  })
})

describe('behaviour/program#fixtures: policies and tokens', () => {
  const json = { path: { 'kv/json': { capabilities: ['read'] } } }
  const fixtures: SecretsFixtures = {
    policies: {
      text: 'path "kv/text" { capabilities = ["read"] }',
      'json-text': JSON.stringify({ path: { 'kv/json-text': { capabilities: ['read'] } } }),
      Json: json,
    },
    tokens: [
      { id: 'reader', policies: ['text', 'json-text', 'json'] },
      {
        id: 'short',
        policies: ['text'],
        ttl: '90s',
        num_uses: 3,
        meta: { of: 'ci' },
        display_name: 'ci',
      },
      { id: 'boss', policies: ['root'] },
    ],
    kv: { kv: { text: { a: 1 }, 'json-text': { a: 2 }, json: { a: 3 }, other: { a: 4 } } },
  }

  test('policies are HCL, JSON as text or JSON itself', async () => {
    const { secrets, as } = await serverWith(fixtures)
    expect((await secrets.list('sys/policies/acl')).body.data.keys).toEqual([
      'default',
      'json',
      'json-text',
      'text',
      'root',
    ])
    expect(statusAndBody(await secrets.get('sys/policies/acl/json'))).toEqual(
      ok({ data: { name: 'json', policy: JSON.stringify(json) } }),
    )
    const reader = as('reader')
    for (const [path, a] of [
      ['text', 1],
      ['json-text', 2],
      ['json', 3],
    ]) {
      expect((await reader.get(`kv/${path}`)).body.data).toEqual({ a })
    }
    expect(statusAndBody(await reader.get('kv/other'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  // choice/secrets#fixture-tokens
  test('tokens have the given ids, TTLs and uses', async () => {
    const { secrets, as, clock } = await serverWith(fixtures)
    expect((await as('boss').get('sys/mounts')).status).toBe(200)
    const short = (await secrets.post('auth/token/lookup', { token: 'short' })).body.data
    expect(short).toMatchObject({
      id: 'short',
      ttl: 90,
      creation_ttl: 90,
      num_uses: 3,
      meta: { of: 'ci' },
      display_name: 'ci',
      policies: ['text'],
      orphan: true,
      expire_time: '2026-01-01T00:01:30Z',
    })
    clock.advance(90_000)
    expect(statusAndBody(await as('short').get('kv/text'))).toEqual(error(403, 'permission denied'))
    expect((await as('reader').get('kv/text')).status).toBe(200)
  })

  test('policy names of tokens are normalized as elsewhere', async () => {
    const { as, secrets } = await serverWith({
      tokens: [
        { id: 'a', policies: [' B', 'a', 'b'] },
        { id: 'b', policies: ['default', 'root'] },
      ],
    })
    const statusFor = async (id: string) => (await as(id).get('sys/mounts')).status
    const { body } = await secrets.post('auth/token/lookup', { token: 'a' })
    expect(body.data.policies).toEqual(['a', 'b'])
    expect(await statusFor('a')).toBe(403)
    expect(await statusFor('b')).toBe(200)
  })

  test('a token without a ttl has the default TTL, root has none', async () => {
    const { secrets } = await serverWith(fixtures)
    const ttlOf = async (token: string) =>
      (await secrets.post('auth/token/lookup', { token })).body.data.ttl
    expect([await ttlOf('reader'), await ttlOf('boss')]).toEqual([2_764_800, 0])
  })
})

describe('behaviour/program#fixtures: kv', () => {
  // choice/secrets#fixture-secrets
  test('secrets of both versions are written, to paths with or without a slash', async () => {
    const { secrets } = await serverWith({
      kv: {
        kv: { 'a/b': { c: [1, { d: null }] } },
        'secret/': { 'app/db': { user: 'ada' }, 'app/mail': {} },
      },
    })
    expect(statusAndBody(await secrets.get('kv/a/b'))).toEqual(
      ok({ data: { c: [1, { d: null }] }, lease_duration: 2_764_800 }),
    )
    const { status, body } = await secrets.get('secret/data/app/db')
    expect([status, body]).toEqual([
      200,
      envelope({
        data: {
          data: { user: 'ada' },
          metadata: {
            created_time: '2026-01-01T00:00:00Z',
            custom_metadata: null,
            deletion_time: '',
            destroyed: false,
            version: 1,
          },
        },
      }),
    ])
    expect((await secrets.list('secret/metadata/app')).body.data.keys).toEqual(['db', 'mail'])
  })

  test('secrets are written to mounts of the same fixtures', async () => {
    const { secrets } = await serverWith({
      kv: { mine: { a: { b: 1 } } },
      mounts: { mine: { type: 'kv-v2' } },
    })
    expect((await secrets.get('mine/data/a')).body.data.data).toEqual({ b: 1 })
  })

  test('the option kvVersion makes secret/ a version 1 engine', async () => {
    const document = checkDocument([secretsService], {
      options: { secrets: { kvVersion: 1 } },
      secrets: { kv: { secret: { a: { b: 1 } } } },
    })
    const { secrets } = await servedSecrets({ document })
    expect((await secrets.get('secret/a')).body.data).toEqual({ b: 1 })
  })
})

describe('behaviour/program#fixtures: mistakes name their place', () => {
  test.each<[SecretsFixtures, string]>([
    [{ mounts: { x: { type: 'kvv' } } }, '/secrets/mounts/x: plugin not found in the catalog: kvv'],
    [{ mounts: { kv: { type: 'kv' } } }, '/secrets/mounts/kv: path is already in use at kv/'],
    [{ mounts: { 'sys/a': { type: 'kv' } } }, '/secrets/mounts/sys~1a: cannot mount "sys/a/"'],
    [
      { mounts: { x: { type: 'kv', options: { version: '3' } } } },
      '/secrets/mounts/x: nil backend of type "kv" returned from factory',
    ],
    [
      { mounts: { 'auth/x': { type: 'kv' } } },
      '/secrets/mounts/auth~1x: plugin not found in the catalog: kv',
    ],
    [
      { policies: { p: 'path "a" { capabilities = ["fly"] }' } },
      '/secrets/policies/p: failed to parse policy: path "a": invalid capability "fly"',
    ],
    [
      { policies: { p: { path: { a: { capabilities: ['fly'] } } } } },
      '/secrets/policies/p: failed to parse policy: path "a": invalid capability "fly"',
    ],
    [{ policies: { root: 'path "a" {}' } }, '/secrets/policies/root: cannot update "root" policy'],
    [
      { tokens: [{ id: 't', policies: [], ttl: 'soon' }] },
      '/secrets/tokens/0: time: invalid duration "soon"',
    ],
    [{ kv: { none: { a: { b: 1 } } } }, '/secrets/kv/none: no key-value engine is mounted there'],
    [{ kv: { sys: { a: { b: 1 } } } }, '/secrets/kv/sys: no key-value engine is mounted there'],
    [{ kv: { kv: { a: {} } } }, '/secrets/kv/kv/a: missing data fields'],
    [{ kv: { 'kv/a': { b: {} } } }, '/secrets/kv/kv~1a: no key-value engine is mounted there'],
    [
      {
        tokens: [
          { id: 'twice', policies: [] },
          { id: 'twice', policies: [] },
        ],
      },
      '/secrets/tokens/1: cannot create a token with a duplicate ID',
    ],
    [
      { tokens: [{ id: 'root', policies: [] }] },
      '/secrets/tokens/0: cannot create a token with a duplicate ID',
    ],
  ])('%j', (fixtures, message) => {
    expect(loadFailure(fixtures)).toBe(message)
  })

  test.each<[unknown, string[]]>([
    [{ mounts: { x: {} } }, ['/secrets/mounts/x/type is missing']],
    [{ mounts: { x: { type: 'kv', path: 'y' } } }, ['/secrets/mounts/x/path is unknown']],
    [{ policies: { p: 1 } }, ['/secrets/policies/p must be string or object']],
    [{ tokens: {} }, ['/secrets/tokens must be array']],
    [{ tokens: [{ id: 't' }] }, ['/secrets/tokens/0/policies is missing']],
    [{ kv: { kv: { a: 1 } } }, ['/secrets/kv/kv/a must be object']],
  ])('wrong shape: %j', (fixtures, lines) => {
    expect(schemaErrors(fixtures)).toEqual(lines)
  })
})

describe('behaviour/program#fixtures: loading', () => {
  const secrets: SecretsFixtures = {
    mounts: { mine: { type: 'kv', options: { version: '2' } } },
    policies: { p: 'path "mine/*" { policy = "read" }' },
    tokens: [{ id: 't', policies: ['p'], ttl: '1h' }],
    kv: { mine: { a: { b: 1 } }, secret: { a: { b: 1 } } },
  }

  test('loading into two worlds with one seed gives the same bytes', async () => {
    const one = await serverWith(secrets)
    const two = await serverWith(secrets)
    const paths = ['sys/mounts', 'mine/data/a', 'secret/metadata/a', 'sys/policies/acl/p']
    for (const path of paths) {
      expect((await two.secrets.get(path)).text).toBe((await one.secrets.get(path)).text)
    }
  })

  test('a reset loads them again with the same result', async () => {
    const { secrets: client, world } = await serverWith(secrets)
    const before = (await client.get('mine/metadata/a')).text
    await client.delete('mine/metadata/a')
    await client.delete('sys/mounts/mine')
    world.reset()
    expect((await client.get('mine/metadata/a')).text).toBe(before)
  })

  test('loading over existing data reports the conflict', async () => {
    const { world } = await serverWith(secrets)
    expect(() => world.write(() => runParts(secretsService.load(world, { ...secrets })))).toThrow(
      '/secrets/mounts/mine: path is already in use at mine/',
    )
  })
})
