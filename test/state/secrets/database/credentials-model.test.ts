import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { writeDatabaseConfig } from '../../../../state/secrets/database/configs.ts'
import { createDatabaseCredentials } from '../../../../state/secrets/database/creds.ts'
import { writeDatabaseRole } from '../../../../state/secrets/database/role-changes.ts'
import { databaseUsers } from '../../../../state/secrets/database/simulated.ts'
import {
  leases,
  renewLease,
  revokeLease,
  revokeLeasesUnder,
} from '../../../../state/secrets/leases/leases.ts'
import { enableMount } from '../../../../state/secrets/mounts/changes.ts'
import type { Mount } from '../../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { writeLeaseCount } from '../../../../state/secrets/quotas/quotas.ts'
import { revokeToken } from '../../../../state/secrets/tokens/tokens.ts'
import { freshWorld, makeToken, startTime } from '../fresh-world.ts'

/** Roles with their TTLs in seconds. */
const roles = { short: { ttl: 60, max: 100 }, long: { ttl: 600, max: 5000 } } as const
type Role = keyof typeof roles

const databaseMount = {
  path: 'database',
  type: 'database',
  description: '',
  config: {},
  options: {},
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
}

const faults = ['none', 'unreachable', 'create-fails', 'revoke-fails'] as const
type Fault = (typeof faults)[number]

/** Maximum number of leases; a quota limits them. */
const mostLeases = 4

/** A lease as the model expects it. Instants in seconds since the start. */
interface ExpectedLease {
  readonly role: Role
  readonly user: string
  readonly token: number
  readonly issued: number
  ttl: number
  expires: number
}

/** The expected leases of dynamic credentials and users of the database. */
class Model {
  now = 0
  fault: Fault = 'none'
  readonly leases = new Map<string, ExpectedLease>()
  /** Ends of the users, by name; a user may outlive its lease. */
  readonly users = new Map<string, number>()

  /** Returns the rule by which new credentials are refused; undefined if they are made. */
  ruleOfCreation(): string | undefined {
    if (this.leases.size >= mostLeases) return 'lease-count-exceeded'
    if (this.fault === 'unreachable') return 'database-unreachable'
    return this.fault === 'create-fails' ? 'database-statement-failed' : undefined
  }

  /** Ends a lease. Returns the rule of the refusal; with force, the lease ends in any case. */
  end(id: string, isForced: boolean): string | undefined {
    const isStuck = this.fault === 'unreachable' || this.fault === 'revoke-fails'
    if (isStuck && !isForced) return 'database-revocation-failed'
    if (!isStuck) this.users.delete(this.leases.get(id)?.user ?? '')
    this.leases.delete(id)
    return undefined
  }

  advance(seconds: number): void {
    this.now += seconds
    for (const [id, { expires }] of this.leases) if (expires <= this.now) this.end(id, true)
  }
}

/** A history of one world, with the model of it and the ids of all leases that ever were. */
class History {
  readonly world: World = freshWorld()
  readonly model = new Model()
  readonly #mount: Mount
  readonly #tokens = [makeToken(this.world), makeToken(this.world)]
  readonly #ids: string[] = []

  constructor() {
    const { world } = this
    this.#mount = enableMount(world, rootNamespace, databaseMount)
    const connection = {
      plugin_name: 'postgresql-database-plugin',
      allowed_roles: ['*'],
      verify_connection: true,
    }
    const details = { connection_url: 'postgresql://admin:pw@db:5432/app' }
    writeDatabaseConfig(world, this.#mount, 'main', connection, details)
    for (const [name, { ttl, max }] of Object.entries(roles)) {
      const creation_statements = ['CREATE ROLE "{{name}}"']
      const times = { default_ttl: ttl, max_ttl: max }
      const role = { db_name: 'main', creation_statements, ...times }
      writeDatabaseRole(world, this.#mount, name, role)
    }
    const quota = { name: 'most', path: 'database', role: '', max_leases: mostLeases }
    writeLeaseCount(world, quota)
  }

  create(role: Role, at: number): void {
    const { world, model } = this
    const token = this.#tokens[at]
    if (token === undefined) return
    const caller = { mount: this.#mount, namespace: rootNamespace, token }
    const path = `database/creds/${role}`
    const made = outcomeOf(() => createDatabaseCredentials(world, { ...caller, path }, role))
    if (typeof made === 'string') {
      expect(made).toBe(model.ruleOfCreation())
      return
    }
    expect(model.ruleOfCreation()).toBeUndefined()
    const { ttl } = roles[role]
    const { now } = model
    const { username: user = '' } = made.data
    model.leases.set(made.lease.id, { role, user, token: at, issued: now, ttl, expires: now + ttl })
    model.users.set(user, now + ttl)
    this.#ids.push(made.lease.id)
  }

  renew(at: number, increment: number): void {
    const id = this.#idAt(at)
    const renewed = outcomeOf(() => renewLease(this.world, rootNamespace, id, increment))
    const { model } = this
    const lease = model.leases.get(id)
    if (lease === undefined || model.fault === 'unreachable') {
      expect(renewed).toBe(lease === undefined ? 'lease-not-found' : 'database-renewal-failed')
      return
    }
    const left = lease.issued + roles[lease.role].max - model.now
    lease.ttl = Math.min(increment || roles[lease.role].ttl, left)
    lease.expires = model.now + lease.ttl
    model.users.set(lease.user, lease.expires)
  }

  revoke(at: number): void {
    const id = this.#idAt(at)
    const outcome = outcomeOf(() => revokeLease(this.world, rootNamespace, id))
    expect(outcome).toBe(this.model.leases.has(id) ? this.model.end(id, false) : undefined)
  }

  revokePrefix(role: Role, isForced: boolean): void {
    const mode = isForced ? 'force' : 'refuse'
    const prefix = `database/creds/${role}`
    const outcome = outcomeOf(() => revokeLeasesUnder(this.world, rootNamespace, prefix, mode))
    const ended = [...this.model.leases].filter(([, lease]) => lease.role === role)
    const [rule] = ended.map(([id]) => this.model.end(id, isForced))
    expect(outcome).toBe(rule)
  }

  /** Revokes a token, which ends its leases, and replaces it by a new one. */
  revokeToken(at: number): void {
    const token = this.#tokens[at]
    if (token === undefined) return
    revokeToken(this.world, token.id)
    this.#tokens[at] = makeToken(this.world)
    for (const [id, lease] of this.model.leases) if (lease.token === at) this.model.end(id, true)
  }

  advance(seconds: number): void {
    this.world.advance(seconds * 1000)
    this.model.advance(seconds)
  }

  setFault(fault: Fault): void {
    this.world.changeOptions({ secrets: { databaseFault: fault } })
    this.model.fault = fault
  }

  #idAt(at: number): string {
    return this.#ids.at(at % Math.max(1, this.#ids.length)) ?? 'database/creds/none'
  }
}

/** Returns the result of a call, or the rule of its refusal. */
function outcomeOf<T>(call: () => T): T | string {
  try {
    return call()
  } catch (error) {
    if (error instanceof Refusal) return error.rule
    throw error
  }
}

/** Returns what a world shows of leases and users, in the form of the model. */
function observed(world: World) {
  const seconds = (instant: number) => (instant - startTime) / 1000
  const rows = Array.from(world.table(leases).rows(''), ({ id, expire_time }): [string, number] => [
    id,
    seconds(expire_time),
  ])
  const users = Array.from(world.table(databaseUsers).rows(''), ({ name, expires }) => {
    return [name, seconds(expires ?? 0)] as const
  })
  return { leases: new Map(rows), users: new Map(users) }
}

function expected({ leases: rows, users }: Model) {
  return { leases: new Map(Array.from(rows, ([id, { expires }]) => [id, expires])), users }
}

const at = fc.nat({ max: 9 })
const role = fc.constantFrom<Role>('short', 'long')

/** A step of a history: makes, renews or ends leases, moves the clock or breaks the database. */
const step: fc.Arbitrary<(history: History) => void> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(role, fc.nat({ max: 1 })).map(
      ([of, by]) =>
        (history: History) =>
          history.create(of, by),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(at, fc.constantFrom(0, 30, 90, 3000)).map(
      ([which, increment]) =>
        (history: History) =>
          history.renew(which, increment),
    ),
  },
  { weight: 2, arbitrary: at.map((which) => (history: History) => history.revoke(which)) },
  {
    weight: 1,
    arbitrary: fc.tuple(role, fc.boolean()).map(
      ([of, isForced]) =>
        (history: History) =>
          history.revokePrefix(of, isForced),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 1 }).map((which) => (history: History) => history.revokeToken(which)),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(1, 29, 60, 700)
      .map((seconds) => (history: History) => history.advance(seconds)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...faults)
      .map((fault) => (history: History) => history.setFault(fault)),
  },
)

describe('any history of dynamic credentials (behaviour/secrets#database-creds, behaviour/secrets#leases and behaviour/secrets#quotas)', () => {
  test('leases and users are created, renewed, revoked and expire like the model, also while the database fails', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const history = new History()
        for (const run of steps) {
          run(history)
          expect(observed(history.world)).toEqual(expected(history.model))
        }
        // Whatever happened, no lease outlives the longest maximum.
        history.advance(roles.long.max)
        expect(observed(history.world).leases.size).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
