import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  listCubbyhole,
  readCubbyhole,
  writeCubbyhole,
} from '../../../../state/secrets/kv/cubbyhole.ts'
import { findLease, registerLease } from '../../../../state/secrets/leases/leases.ts'
import { mountKey, mounts } from '../../../../state/secrets/mounts/mounts.ts'
import { namespaces, rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { sanitizePolicies } from '../../../../state/secrets/tokens/creation.ts'
import { renewToken } from '../../../../state/secrets/tokens/renewal.ts'
import { requestToken } from '../../../../state/secrets/tokens/request.ts'
import {
  accessorsIn,
  findByAccessor,
  findToken,
  tokens,
} from '../../../../state/secrets/tokens/rows.ts'
import {
  authBlock,
  consumeUse,
  createRootToken,
  requireUsableToken,
  revokeOrphaning,
  revokeToken,
} from '../../../../state/secrets/tokens/tokens.ts'
import { renderMessages } from '../../../support/render-messages.ts'
import { create, freshWorld, makeToken, startTime } from '../fresh-world.ts'

const day = 86_400
const month = 2_764_800

/** Advances the clock and runs due jobs. */
const pass = (world: World, seconds: number) => void world.advance(seconds * 1000)

/** Sets the lease TTLs of the token mount. */
function tune(world: World, defaultTtl: number, maxTtl: number): void {
  const key = mountKey('root', 'auth/token/')
  const mount = world.table(mounts).get(key)
  if (mount === undefined) throw new Error('no token mount')
  const config = {
    ...mount.config,
    default_lease_ttl: defaultTtl,
    max_lease_ttl: maxTtl,
  }
  world.write(() => world.table(mounts).put(key, { ...mount, config }))
}

describe('behaviour/secrets#tokens: the members of a token', () => {
  test('a service token has all members of its row', () => {
    const world = freshWorld()
    const token = makeToken(world, { meta: { a: 'b' }, ttl: 60, displayName: 'token-x' })

    expect(token).toEqual({
      id: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      type: 'service',
      namespace: 'root',
      namespace_path: '',
      parent: null,
      policies: ['default'],
      meta: { a: 'b' },
      display_name: 'token-x',
      path: 'auth/token/create',
      role: '',
      num_uses: 0,
      renewable: true,
      creation_time: startTime,
      creation_ttl: 60,
      ttl: 60,
      max_ttl: 0,
      explicit_max_ttl: 0,
      period: 0,
      expire_time: startTime + 60_000,
      last_renewal: null,
      entity_id: '',
      bound_cidrs: [],
    })
  })

  test('the auth block has the members of a token', () => {
    const world = freshWorld()
    const token = makeToken(world, { ttl: 60, numUses: 3, entityId: 'e' })

    expect(authBlock(world, token)).toEqual({
      client_token: token.id,
      accessor: token.accessor,
      policies: ['default'],
      token_policies: ['default'],
      metadata: null,
      lease_duration: 60,
      renewable: true,
      entity_id: 'e',
      token_type: 'service',
      orphan: true,
      mfa_requirement: null,
      num_uses: 3,
    })
  })

  // choice/secrets#batch-tokens
  test('a batch token has no accessor and is not renewable', () => {
    const world = freshWorld()
    const token = makeToken(world, { type: 'batch' })

    expect(token.id).toMatch(/^b\.[0-9A-Za-z]{96}$/)
    expect([token.accessor, token.renewable]).toEqual(['', false])
    expect(requireUsableToken(world, token.id)).toEqual(token)
  })

  test('prefixes are configurable', () => {
    const world = freshWorld({ serviceTokenPrefix: 'hvs.', batchTokenPrefix: 'hvb.' })
    expect(makeToken(world).id).toMatch(/^hvs\.[0-9A-Za-z]{24}$/)
    expect(makeToken(world, { type: 'batch' }).id).toMatch(/^hvb\./)
  })

  test('inside a namespace id and accessor end in the namespace id', () => {
    const world = freshWorld()
    const namespace = { id: 'abcde', path: 'team/', custom_metadata: {} }
    world.write(() => world.table(namespaces).put(namespace.path, namespace))
    const token = makeToken(world, { namespace })

    expect(token.id).toMatch(/^s\.[0-9A-Za-z]{24}\.abcde$/)
    expect(token.accessor).toMatch(/^[0-9A-Za-z]{24}\.abcde$/)
    expect(findByAccessor(world, token.accessor)).toEqual(token)
    expect(accessorsIn(world, namespace)).toEqual([token.accessor])
    expect(accessorsIn(world, rootNamespace)).not.toContain(token.accessor)
  })

  test('a fresh world has a root token', () => {
    const world = freshWorld({ rootToken: 'hvs.any.thing' })
    const root = requireUsableToken(world, 'hvs.any.thing')

    expect(root).toMatchObject({
      policies: ['root'],
      path: 'auth/token/root',
      display_name: 'root',
      creation_ttl: 0,
      expire_time: null,
      renewable: false,
      parent: null,
    })
    pass(world, 100 * 365 * day)
    expect(requireUsableToken(world, 'hvs.any.thing')).toEqual(root)
  })

  test('an uninitialized world has no root token until initialization creates one', () => {
    const world = freshWorld({ initialized: false })
    expect(world.table(tokens).size).toBe(0)

    const id = createRootToken(world)
    expect(requireUsableToken(world, id).policies).toEqual(['root'])
  })

  test.each([
    [[' B ', 'a', 'b', ''], false, ['a', 'b']],
    [['b'], true, ['b', 'default']],
    [[], true, ['default']],
    [['a', 'Root'], true, ['root']],
  ])('policies %j, with default added (%j), become %j', (names, withDefault, expected) => {
    expect(sanitizePolicies(names, withDefault)).toEqual(expected)
  })

  test.each(['unknown', ''])('the token %j is refused', (text) => {
    const world = freshWorld()
    expect(() => requireUsableToken(world, text)).toThrow(
      expect.objectContaining({ kind: 'denied', message: 'permission denied' }),
    )
  })
})

describe('behaviour/secrets#tokens: lifetime of a token', () => {
  test.each([
    ['the default', {}, month, []],
    ['as asked', { ttl: 60 }, 60, []],
    [
      'no longer than the maximum',
      { ttl: 2 * month },
      month,
      ['TTL of "1536h" exceeded the effective max_ttl of "768h"; TTL value is capped accordingly'],
    ],
    [
      'no longer than its explicit maximum',
      { ttl: 60, explicitMaxTtl: 30 },
      30,
      ['TTL of "1m" exceeded the effective max_ttl of "30s"; TTL value is capped accordingly'],
    ],
    [
      'no longer than the login method says',
      { maxTtl: 30 },
      30,
      ['TTL of "768h" exceeded the effective max_ttl of "30s"; TTL value is capped accordingly'],
    ],
    ['its period', { ttl: 5, period: 60 }, 60, []],
    [
      'a period up to the maximum',
      { period: 2 * month },
      month,
      [
        'period of "1536h" exceeded the effective max_ttl of "768h"; period value is capped accordingly',
      ],
    ],
    ['a root token with a TTL', { policies: ['root'], ttl: 60 }, 60, []],
    ['a root token with an explicit maximum', { policies: ['root'], explicitMaxTtl: 60 }, 60, []],
  ])('%s', (_, spec, ttl, warnings) => {
    const created = create(freshWorld(), spec)

    expect(created.token).toMatchObject({ ttl, creation_ttl: ttl, renewable: true })
    expect(created.token.expire_time).toBe(startTime + ttl * 1000)
    expect(renderMessages(created.warnings)).toEqual(warnings)
  })

  test("the mount's TTLs apply", () => {
    const world = freshWorld()
    tune(world, 100, 200)

    expect(create(world).token.ttl).toBe(100)
    expect(create(world, { ttl: 201 }).token.ttl).toBe(200)
  })

  test('a token is valid up to its last moment and not longer', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 60 })

    world.advance(59_999)
    expect(requireUsableToken(world, id).id).toBe(id)
    const fired = world.advance(1)
    expect(fired).toEqual([{ at: startTime + 60_000, kind: 'secrets.token.expire', id }])
    expect(() => requireUsableToken(world, id)).toThrow('permission denied')
    expect(world.table(tokens).has(id)).toBe(false)
  })

  test('a token has expired on time even before the agenda runs', () => {
    const world = freshWorld()
    const { id, accessor } = makeToken(world, { ttl: 60 })
    world.clock.moveTo(startTime + 60_000)

    expect(() => requireUsableToken(world, id)).toThrow('permission denied')
    expect(findByAccessor(world, accessor)).toBeUndefined()
    expect(accessorsIn(world, rootNamespace)).not.toContain(accessor)
  })
})

describe('behaviour/secrets#tokens: renewing a token', () => {
  test('grants the TTL granted before, or the increment', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 60 })
    pass(world, 50)

    expect(renewToken(world, id, 0).token).toMatchObject({
      ttl: 60,
      creation_ttl: 60,
      expire_time: startTime + 110_000,
      last_renewal: startTime + 50_000,
    })
    expect(renewToken(world, id, 300).token.expire_time).toBe(startTime + 350_000)
    expect(renewToken(world, id, 0).token.ttl).toBe(300)
    pass(world, 299)
    expect(findToken(world, id)?.id).toBe(id)
    pass(world, 1)
    expect(findToken(world, id)).toBeUndefined()
  })

  test('may shorten the lifetime', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 600 })
    renewToken(world, id, 10)
    pass(world, 10)
    expect(findToken(world, id)).toBeUndefined()
  })

  test("ends at the mount's maximum, counted from the creation", () => {
    const world = freshWorld()
    tune(world, 60, 100)
    const { id } = makeToken(world)
    pass(world, 50)

    const renewed = renewToken(world, id, 0)
    expect(renewed.token).toMatchObject({ ttl: 50, expire_time: startTime + 100_000 })
    expect(renderMessages(renewed.warnings)).toEqual([
      'TTL of "1m" exceeded the effective max_ttl of "50s"; TTL value is capped accordingly',
    ])
    pass(world, 50)
    expect(findToken(world, id)).toBeUndefined()
  })

  test("ends at the login method's maximum", () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 60, maxTtl: 100 })
    pass(world, 50)
    expect(renewToken(world, id, 0).token.ttl).toBe(50)
  })

  test('ends at the explicit maximum', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 60, explicitMaxTtl: 100 })
    pass(world, 50)
    expect(renewToken(world, id, 500).token.ttl).toBe(50)
  })

  test('a periodic token can be renewed forever, with any increment', () => {
    const world = freshWorld()
    tune(world, 60, 100)
    const { id } = makeToken(world, { period: 60 })
    for (let times = 0; times < 10; times++) {
      pass(world, 59)
      expect(renewToken(world, id, 5).token.ttl).toBe(60)
    }
    pass(world, 60)
    expect(findToken(world, id)).toBeUndefined()
  })

  test('an explicit maximum also ends a period', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { period: 60, explicitMaxTtl: 100 })
    pass(world, 50)
    expect(renewToken(world, id, 0).token.ttl).toBe(50)
    pass(world, 50)
    expect(findToken(world, id)).toBeUndefined()
  })

  test.each([
    ['no id', () => '', 'missing token ID'],
    ['an unknown one', () => 'nobody', 'token not found'],
    [
      'a batch token',
      (world: World) => makeToken(world, { type: 'batch' }).id,
      'batch tokens cannot be renewed',
    ],
    ['a root token', () => 'root', 'invalid lease ID'],
    [
      'one that is not renewable',
      (world: World) => makeToken(world, { renewable: false }).id,
      'lease is not renewable',
    ],
  ])('%s is refused', (_, id, message) => {
    const world = freshWorld()
    const input = id(world)
    expect(() => renewToken(world, input, 0)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
  })
})

describe('behaviour/secrets#tokens: num_uses counts every call', () => {
  test('the last use revokes the token after the call', () => {
    const world = freshWorld()
    const token = makeToken(world, { numUses: 2 })

    consumeUse(world, requireUsableToken(world, token.id))
    expect(requireUsableToken(world, token.id).num_uses).toBe(1)
    consumeUse(world, requireUsableToken(world, token.id))
    expect(findToken(world, token.id)?.num_uses).toBe(-1)
    expect(() => requireUsableToken(world, token.id)).toThrow('permission denied')
    world.runDueJobs()
    expect(world.table(tokens).has(token.id)).toBe(false)
  })

  test('without a limit nothing is counted or written', () => {
    const world = freshWorld()
    const { sequence } = world.store
    consumeUse(world, requireUsableToken(world, 'root'))
    expect(requireUsableToken(world, 'root').num_uses).toBe(0)
    expect(world.store.sequence).toBe(sequence)
  })

  test('a use that was already the last counts once', () => {
    const world = freshWorld()
    const token = makeToken(world, { numUses: 1 })
    consumeUse(world, token)
    consumeUse(world, token)
    expect(findToken(world, token.id)?.num_uses).toBe(-1)
  })
})

describe('behaviour/secrets#tokens: revoking a token', () => {
  function family(world: World) {
    const parent = makeToken(world)
    const child = makeToken(world, { parent })
    const grandchild = makeToken(world, { parent: child })
    const batch = makeToken(world, { parent, type: 'batch' })
    return { parent, child, grandchild, batch }
  }

  test('children are revoked with a token, other tokens are not', () => {
    const world = freshWorld()
    const { parent, child, grandchild, batch } = family(world)
    const other = makeToken(world)
    revokeToken(world, parent.id)

    for (const dead of [parent, child, grandchild, batch]) {
      expect(findToken(world, dead.id)).toBeUndefined()
    }
    expect(findToken(world, other.id)).toEqual(other)
    expect([...world.table(tokens).index('byParent').entries()]).toEqual([])
    expect(
      Array.from(world.table(tokens).index('byAccessor').rows('root/'), ({ id }) => id).sort(),
    ).toEqual(['root', other.id].sort())
  })

  test('children of an expired parent are revoked', () => {
    const world = freshWorld()
    const parent = makeToken(world, { ttl: 10 })
    const child = makeToken(world, { parent, ttl: 1000 })
    pass(world, 10)
    expect(findToken(world, child.id)).toBeUndefined()
    expect([...world.agenda.all()]).toEqual([])
  })

  test('revoking a child does not affect its parent', () => {
    const world = freshWorld()
    const { parent, child, grandchild, batch } = family(world)
    revokeToken(world, child.id)
    expect(findToken(world, parent.id)).toEqual(parent)
    expect(findToken(world, grandchild.id)).toBeUndefined()
    const children = Array.from(world.table(tokens).index('byParent').rows(), ({ id }) => id)
    expect(children).toEqual([batch.id])
  })

  test('revoke-orphan makes its children orphans', () => {
    const world = freshWorld()
    const { parent, child, grandchild } = family(world)
    revokeOrphaning(world, parent.id)
    expect(findToken(world, parent.id)).toBeUndefined()
    expect(findToken(world, child.id)).toEqual({ ...child, parent: null })
    revokeToken(world, child.id)
    expect(findToken(world, grandchild.id)).toBeUndefined()
  })

  test('an unknown token is ignored', () => {
    const world = freshWorld()
    const { sequence } = world.store
    revokeToken(world, 'nobody')
    revokeOrphaning(world, 'nobody')
    expect(world.store.sequence).toBe(sequence)
  })

  test('leases and cubbyhole are deleted with a token', () => {
    const world = freshWorld()
    const token = makeToken(world)
    const spec = { namespace: rootNamespace, path: 'orch/creds/a', renewable: false, ttl: 60 }
    const lease = registerLease(world, { ...spec, token })
    const kept = registerLease(world, { ...spec, token: makeToken(world) })
    writeCubbyhole(world, token, 'a', { b: 1 })
    revokeToken(world, token.id)

    expect(findLease(world, rootNamespace, lease.id)).toBeUndefined()
    expect(findLease(world, rootNamespace, kept.id)).toEqual(kept)
    expect(() => readCubbyhole(world, token, 'a')).toThrow('there is nothing at this path')
    expect(() => listCubbyhole(world, token, '')).toThrow('there is nothing at this path')
  })

  test('a deep family does not exhaust the stack', () => {
    const world = freshWorld()
    const first = makeToken(world)
    let parent = first
    for (let depth = 0; depth < 2000; depth++) parent = makeToken(world, { parent })
    revokeToken(world, first.id)
    expect(world.table(tokens).size).toBe(1)
  })
})

describe('behaviour/secrets#tokens: a child and the identity of its parent', () => {
  test.each([
    ['a child has it', {}, 'ada'],
    ['an orphan has none', { no_parent: true }, ''],
  ])('%s', (_, request, entity) => {
    const world = freshWorld()
    const parent = makeToken(world, { policies: ['root'], entityId: 'ada' })
    const context = { parent, namespace: rootNamespace, path: 'auth/token/create', orphan: false }
    const { token } = requestToken(world, context, { policies: ['default'], ...request })
    expect(token.entity_id).toBe(entity)
  })
})
