import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { defineTable } from '../../../../state/kernel/store/table.ts'
import type { JobHandler } from '../../../../state/kernel/worlds/service.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import {
  findLease,
  type LeaseSpec,
  leases,
  leasesUnder,
  registerLease,
  renewLease,
  revokeLease,
  revokeLeasesUnder,
} from '../../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { seal } from '../../../../state/secrets/seal/seal.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { findToken, tokenLeaseKey, tokens } from '../../../../state/secrets/tokens/rows.ts'
import { requireUsableToken } from '../../../../state/secrets/tokens/tokens.ts'
import { renderMessages } from '../../../support/render-messages.ts'
import { freshWorld, makeToken, startTime } from '../fresh-world.ts'

const month = 2_764_800

function register(world: World, spec: Partial<LeaseSpec> = {}) {
  return registerLease(world, {
    namespace: rootNamespace,
    path: 'orch/creds/reader',
    token: requireUsableToken(world, 'root'),
    renewable: true,
    ttl: 60,
    ...spec,
  })
}

describe('behaviour/secrets#leases: life of a lease', () => {
  test('a new lease has an id below its path and ends after its TTL', () => {
    const world = freshWorld()
    const root = requireUsableToken(world, 'root')
    const lease = register(world, { maxTtl: 90 })

    expect(lease).toEqual({
      id: expect.stringMatching(/^orch\/creds\/reader\/[0-9A-Za-z]{24}$/),
      namespace: 'root',
      path: 'orch/creds/reader',
      holder: root.accessor,
      issue_time: startTime,
      expire_time: startTime + 60_000,
      last_renewal: null,
      renewable: true,
      ttl: 60,
      max_ttl: 90,
      revoke: null,
    })
    expect(findLease(world, rootNamespace, lease.id)).toEqual(lease)
  })

  test('inside a namespace the id ends in the namespace id, and only that namespace finds the lease', () => {
    const world = freshWorld()
    const lease = register(world, { namespace: { id: 'abcde' } })
    expect(lease.id).toMatch(/^orch\/creds\/reader\/[0-9A-Za-z]{24}\.abcde$/)
    expect(findLease(world, { id: 'abcde' }, lease.id)).toEqual(lease)
    expect(findLease(world, rootNamespace, lease.id)).toBeUndefined()
  })

  test('a lease ends on time and leaves no rows', () => {
    const world = freshWorld()
    const lease = register(world)
    world.advance(59_999)
    expect(findLease(world, rootNamespace, lease.id)).toEqual(lease)
    expect(world.advance(1)).toEqual([
      { at: startTime + 60_000, kind: 'secrets.lease.expire', id: `root/${lease.id}` },
    ])
    expect(findLease(world, rootNamespace, lease.id)).toBeUndefined()
    expect(world.table(leases).size).toBe(0)
  })

  // choice/secrets#time-while-sealed
  test('a lease ends on time while the service is sealed, as tokens do', () => {
    const world = freshWorld()
    const { id } = makeToken(world, { ttl: 60 })
    register(world)
    seal(world)
    world.advance(60_000)
    expect(world.table(leases).size).toBe(0)
    expect(world.table(tokens).get(id)).toBeUndefined()
  })

  test('a lease has expired on time even before the agenda runs', () => {
    const world = freshWorld()
    const lease = register(world)
    world.clock.moveTo(startTime + 60_000)
    expect(findLease(world, rootNamespace, lease.id)).toBeUndefined()
    expect(() => renewLease(world, rootNamespace, lease.id, 0)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: 'lease expired' }),
    )
  })

  test('renewing grants the increment, or the TTL granted before', () => {
    const world = freshWorld()
    const { id } = register(world)
    world.advance(30_000)

    const { lease, warnings } = renewLease(world, rootNamespace, id, 100)
    expect(lease).toMatchObject({
      ttl: 100,
      expire_time: startTime + 130_000,
      last_renewal: startTime + 30_000,
    })
    expect(warnings).toEqual([])
    expect(renewLease(world, rootNamespace, id, 0).lease.ttl).toBe(100)
    world.advance(99_999)
    expect(findLease(world, rootNamespace, id)?.id).toBe(id)
    world.advance(1)
    expect(findLease(world, rootNamespace, id)).toBeUndefined()
  })

  test.each([
    ["the engine's", { maxTtl: 90 }, '1m1s', 61, '1m', 60],
    ["the mount's", {}, '768h', month, '767h59m30s', month - 30],
  ])('renewing ends at %s maximum', (_, spec, requested, increment, left, ttl) => {
    const world = freshWorld()
    const { id } = register(world, spec)
    world.advance(30_000)
    const renewed = renewLease(world, rootNamespace, id, increment)
    expect(renewed.lease.ttl).toBe(ttl)
    expect(renderMessages(renewed.warnings)).toEqual([
      `TTL of "${requested}" exceeded the effective max_ttl of "${left}"; TTL value is capped accordingly`,
    ])
  })

  test('unknown and non-renewable leases cannot be renewed', () => {
    const world = freshWorld()
    const { id } = register(world, { renewable: false })
    const renewing = (lease: string) => () => renewLease(world, rootNamespace, lease, 0)

    expect(renewing('ghost')).toThrow(
      expect.objectContaining({ kind: 'invalid', message: 'lease not found' }),
    )
    expect(renewing(id)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: 'lease is not renewable' }),
    )
  })
})

describe('behaviour/secrets#leases: revoking', () => {
  test('one lease is revoked by its id; an unknown id is ignored', () => {
    const world = freshWorld()
    const [one, two] = [register(world), register(world)]
    revokeLease(world, rootNamespace, one.id)
    revokeLease(world, rootNamespace, 'ghost')
    expect(findLease(world, rootNamespace, one.id)).toBeUndefined()
    expect(findLease(world, rootNamespace, two.id)).toEqual(two)
    expect(Array.from(world.agenda.all(), ({ id }) => id)).toEqual([`root/${two.id}`])
  })

  // choice/secrets#lease-prefixes
  test.each([
    ['a folder', 'orch/creds', ['orch/credsx/c']],
    ['a folder with its slash', 'orch/creds/', ['orch/credsx/c']],
    ['a folder below', 'orch/creds/a', ['orch/creds/ab', 'orch/credsx/c']],
    ['everything', '', []],
  ])('all leases below %s are revoked', (_, prefix, left) => {
    const world = freshWorld()
    for (const path of ['orch/creds/a', 'orch/creds/ab', 'orch/credsx/c']) register(world, { path })
    revokeLeasesUnder(world, rootNamespace, prefix)
    expect(Array.from(world.table(leases).rows(), ({ path }) => path)).toEqual(left)
  })

  // choice/secrets#lease-prefixes
  test('a prefix that is the id of a lease revokes only that lease', () => {
    const world = freshWorld()
    const [one, two] = [register(world), register(world)]
    revokeLeasesUnder(world, rootNamespace, one.id)
    expect(Array.from(world.table(leases).rows(), ({ id }) => id)).toEqual([two.id])
  })

  test('a lease is revoked only in its own namespace', () => {
    const world = freshWorld()
    register(world)
    revokeLeasesUnder(world, { id: 'abcde' }, 'orch')
    expect(world.table(leases).size).toBe(1)
  })

  test('listing returns one folder level at a time', () => {
    const world = freshWorld()
    const lease = register(world)
    makeToken(world)
    expect(leasesUnder(world, rootNamespace, '')).toEqual(['auth/', 'orch/'])
    expect(leasesUnder(world, rootNamespace, 'orch/creds/')).toEqual(['reader/'])
    expect(leasesUnder(world, rootNamespace, 'orch/creds/reader/')).toEqual([
      lease.id.slice('orch/creds/reader/'.length),
    ])
    expect(leasesUnder(world, rootNamespace, 'nowhere/')).toEqual([])
  })
})

describe('behaviour/secrets#leases: leases of tokens', () => {
  // choice/secrets#token-leases
  test('an expiring token has a lease that follows it', () => {
    const world = freshWorld()
    const token = makeToken(world, { ttl: 60 })
    const id = tokenLeaseKey(token).slice('root/'.length)

    expect(id).toMatch(/^auth\/token\/create\/h[0-9a-f]{64}$/)
    expect(findLease(world, rootNamespace, id)).toEqual({
      id,
      issue_time: startTime,
      expire_time: startTime + 60_000,
      last_renewal: null,
      renewable: true,
    })
    expect(() => renewLease(world, rootNamespace, id, 0)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: 'tokens cannot be renewed through this endpoint',
      }),
    )
    revokeLease(world, rootNamespace, id)
    expect(findToken(world, token.id)).toBeUndefined()
    expect([...world.table(tokens).index('byLease').entries()]).toEqual([])
  })

  // choice/secrets#token-leases
  test('batch tokens and endless tokens have no lease', () => {
    const world = freshWorld()
    makeToken(world, { type: 'batch' })
    makeToken(world, { policies: ['root'] })
    expect([...world.table(tokens).index('byLease').entries()]).toEqual([])
  })

  test('revoking by prefix ends the tokens of a login method', () => {
    const world = freshWorld()
    const gone = makeToken(world, { path: 'auth/cloud/login/dev' })
    const kept = makeToken(world)
    revokeLeasesUnder(world, rootNamespace, 'auth/cloud/')
    expect(findToken(world, gone.id)).toBeUndefined()
    expect(findToken(world, kept.id)).toEqual(kept)
  })
})

/**
 * Objects of a test engine that are deleted at the end of their lease; one of them cannot be
 * deleted.
 */
const objects = defineTable<{ readonly name: string }>()({
  service: 'secrets',
  name: 'test-objects',
  secrets: 'none',
  schema: { type: 'object' },
})

const deleteObject: JobHandler = (world, { id }) => {
  world.table(objects).delete(id)
  if (id === 'stubborn') throw new Refusal('upstream', 'the orchestrator does not answer')
}

function worldWithEngine(): World {
  const service = {
    ...secretsService,
    jobs: { ...secretsService.jobs, 'secrets.test.delete': deleteObject },
  }
  const world = new World({
    id: 'test',
    services: [service],
    clock: { mode: 'frozen', at: startTime },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  world.write(() => {
    for (const name of ['plain', 'stubborn']) world.table(objects).put(name, { name })
  })
  return world
}

const ending = (id: string) => ({ revoke: { job: 'secrets.test.delete', id } })

describe("behaviour/secrets#orch: the engine's work at the end of a lease", () => {
  const remaining = (world: World) => Array.from(world.table(objects).rows(), ({ name }) => name)

  test.each([
    ['revocation', (world: World, id: string) => revokeLease(world, rootNamespace, id)],
    ['expiry', (world: World) => void world.advance(60_000)],
    ['revocation by prefix', (world: World) => revokeLeasesUnder(world, rootNamespace, 'orch')],
  ])('the work runs at once on %s', (_, end) => {
    const world = worldWithEngine()
    const { id } = register(world, ending('plain'))
    end(world, id)
    expect(remaining(world)).toEqual(['stubborn'])
  })

  test('a failure keeps the lease and the object', () => {
    const world = worldWithEngine()
    const lease = register(world, ending('stubborn'))
    expect(() => revokeLease(world, rootNamespace, lease.id)).toThrow(
      'the orchestrator does not answer',
    )
    expect(findLease(world, rootNamespace, lease.id)).toEqual(lease)
    expect(remaining(world)).toEqual(['plain', 'stubborn'])
  })

  test('force ends the lease although the engine fails', () => {
    const world = worldWithEngine()
    const lease = register(world, ending('stubborn'))
    revokeLeasesUnder(world, rootNamespace, 'orch', 'force')
    expect(findLease(world, rootNamespace, lease.id)).toBeUndefined()
    expect(remaining(world)).toEqual(['plain', 'stubborn'])
  })

  test('an unregistered job is a programming error', () => {
    const world = worldWithEngine()
    const { id } = register(world, { revoke: { job: 'secrets.nobody', id: 'x' } })
    expect(() => revokeLease(world, rootNamespace, id)).toThrow(
      'no service knows the job secrets.nobody',
    )
  })
})
