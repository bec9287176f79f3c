import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { Mistakes } from '../../../state/kernel/refusal.ts'

/**
 * Mistakes of shape and of meaning in each service. To find the latter, entries of the wrong shape
 * are left out.
 */
const wrong = {
  secrets: {
    mounts: { 'a/': { type: 'none' }, 'b/': { type: 'kv' }, 'b c': { tipe: 'kv' } },
    policies: { bad: 'path {' },
    tokens: [{ policies: [] }, { id: 'x', policies: ['reader'] }, { id: 'x', policies: [] }],
    kv: { none: { a: {} }, b: { '': {} } },
    cloud: {
      users: [{ id: 'u', keys: ['no key', 'none either'] }],
      instances: [{ id: 'i', key: 'none' }],
    },
  },
  platform: {
    users: [{}, { username: 'a', tokens: ['same'] }, { username: 'b', tokens: ['same'] }],
    organizations: [
      { name: '?', teams: [{ name: ' ' }] },
      {
        name: 'ok',
        teams: [{ name: 't', members: ['nobody'] }],
        modules: [{ name: '', provider: 'P' }],
      },
      {
        name: 'fine',
        teams: [{ name: 'u', members: ['nobody'] }, { name: ' ' }],
        gpgKeys: [{ asciiArmor: 'none' }],
        providers: [{ name: 'p', versions: [{ version: '1.0.0' }, { version: 'x' }] }],
      },
    ],
  },
  mesh: {
    namespaces: [{}, { name: 'a_b', keys: { k: 'v' } }, { name: 'c', roleDefaults: ['none'] }],
  },
  scheduler: {
    nodePools: 'none',
    tokens: [{ secret: 's' }, { secret: 's' }],
    jobs: [7, 'job {', { ID: 'a' }],
  },
}

const shape = [
  '/secrets/mounts/b c/type is missing',
  '/secrets/mounts/b c/tipe is unknown',
  '/secrets/tokens/0/id is missing',
  '/platform/users/0/username is missing',
  '/platform/organizations/1/modules/0/name must NOT have fewer than 1 characters',
  '/mesh/namespaces/0/name is missing',
  '/scheduler/nodePools must be array',
  '/scheduler/jobs/0 must be string or object',
]

const meaning = [
  '/secrets/mounts/a~1: ',
  '/secrets/policies/bad: ',
  '/secrets/tokens/2: ',
  '/secrets/kv/none: no key-value engine is mounted there',
  '/secrets/kv/b/: ',
  '/secrets/cloud/users/0/keys/0: ',
  '/secrets/cloud/users/0/keys/1: ',
  '/secrets/cloud/instances/0/key: ',
  '/platform/users/2: the token same is there already',
  '/platform/organizations/0: Name is invalid',
  '/platform/organizations/2/teams/0: ',
  '/platform/organizations/2/teams/1: Name is invalid',
  '/platform/organizations/2/gpgKeys/0: ascii-armor is invalid',
  "/platform/organizations/2/providers/0/versions/0: key can't be blank",
  '/platform/organizations/2/providers/0/versions/1: version is invalid',
  '/mesh/namespaces/1: Namespace name "a_b" is not a valid DNS hostname label',
  '/mesh/namespaces/2: No such ACL role with name "none"',
  '/scheduler/tokens/1: ',
  '/scheduler/jobs/1: ',
  '/scheduler/jobs/2: ',
]

/** Returns matchers of texts that begin with these texts, in this order. */
const startingWith = (texts: readonly string[]) =>
  texts.map((text) => expect.stringMatching(`^${text.replaceAll('?', '\\?')}`))

describe('behaviour/program#commands: all mistakes in fixtures are reported at once', () => {
  test('mistakes of shape are reported together with mistakes in values of the right shape', async () => {
    const error = await createUnderstudy({ fixtures: wrong as never }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Mistakes)
    expect(error.problems).toEqual(startingWith([...shape, ...meaning]))
  })

  test('also where the shape is right, and then nothing is there', async () => {
    const understudy = await createUnderstudy()
    onTestFinished(() => understudy.close())
    const fixtures = {
      secrets: { kv: { none: {}, nothing: {} } },
      mesh: { namespaces: [{ name: 'a_b' }] },
    }
    const problems = [
      '/secrets/kv/none: no key-value engine is mounted there',
      '/secrets/kv/nothing: no key-value engine is mounted there',
      '/mesh/namespaces/0: Namespace name "a_b" is not a valid DNS hostname label',
    ]
    const put = await understudy.inject({ method: 'PUT', url: '/_mock/state', payload: fixtures })
    expect([put.statusCode, put.json().problems]).toEqual([400, problems])
    expect(put.json().detail).toBe(problems.join('; '))
    const payload = { id: 'w', fixtures }
    const post = await understudy.inject({ method: 'POST', url: '/_mock/worlds', payload })
    expect([post.statusCode, post.json().problems]).toEqual([
      400,
      problems.map((problem) => `/fixtures${problem}`),
    ])
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default'])
  })

  test('below the place where the document stands in another', async () => {
    const understudy = await createUnderstudy()
    onTestFinished(() => understudy.close())
    const fixtures = {
      secrets: { kv: { none: {} }, tables: { none: {} } },
      mesh: { none: {}, namespaces: [{ name: 'a_b' }] },
    }
    const reply = await understudy.inject({
      method: 'POST',
      url: '/_mock/worlds',
      payload: { fixtures },
    })
    expect(reply.json().problems).toEqual(
      startingWith([
        '/fixtures/secrets/tables/none is unknown',
        '/fixtures/mesh/none is unknown',
        '/fixtures/mesh/namespaces/0: Namespace name',
      ]),
    )
  })

  test('unknown services are reported together with the other mistakes', async () => {
    const fixtures = {
      lake: {},
      mesh: 1,
      platform: { tables: 1 },
      scheduler: { namespaces: [{ name: '' }] },
    }
    const error = await createUnderstudy({ fixtures: fixtures as never }).catch((thrown) => thrown)
    expect(error.problems).toHaveLength(4)
  })
})
