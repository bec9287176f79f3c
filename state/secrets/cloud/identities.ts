import type { World } from '../../kernel/world.ts'
import { fingerprintOf, type IdentityKey, readKey } from './keys.ts'
import {
  cloudInstances,
  cloudPrivateKeys,
  cloudTenancies,
  cloudUsers,
  exampleIds,
  keepPrivateKey,
} from './principals.ts'

/** A user as fixtures and the control plane give it. */
export interface CloudUserForm {
  readonly id: string
  /** Tenancy id. Default: the first of the document, else that of a fresh world. */
  readonly tenancy?: string | undefined
  /** Ids of groups. */
  readonly groups?: readonly string[] | undefined
  /** RSA keys as PEM; private ones let logins be signed here. Without any, one is made when needed. */
  readonly keys?: readonly string[] | undefined
}

/** An instance, likewise. */
export interface CloudInstanceForm {
  readonly id: string
  readonly tenancy?: string | undefined
  /** Ids of dynamic groups. */
  readonly dynamic_groups?: readonly string[] | undefined
  readonly key?: string | undefined
}

/** Identities to add; one of an id that exists is replaced. */
export interface CloudIdentities {
  readonly tenancies?: readonly string[] | undefined
  readonly users?: readonly CloudUserForm[] | undefined
  readonly instances?: readonly CloudInstanceForm[] | undefined
}

/** Key ids put slashes between ids; quotes would end them in headers. */
const idSchema = { type: 'string', pattern: '^[^/\\s"\\\\]+$' } as const
const ids = { type: 'array', items: { type: 'string', minLength: 1 } } as const
const pem = { type: 'string', description: 'RSA key as PEM, public or private' } as const

/** Shape of `CloudIdentities`. */
export const cloudIdentitiesSchema = {
  type: 'object',
  description: 'Identities that may sign logins of the cloud method',
  additionalProperties: false,
  properties: {
    tenancies: { type: 'array', items: idSchema, description: 'Tenancies by id' },
    users: {
      type: 'array',
      description: 'Users, who sign with API keys',
      items: {
        type: 'object',
        required: ['id'],
        additionalProperties: false,
        properties: {
          id: idSchema,
          tenancy: { ...idSchema, description: 'Default: the first tenancy' },
          groups: { ...ids, description: 'Groups by id' },
          keys: { type: 'array', items: pem, description: 'Without any, one is made when needed' },
        },
      },
    },
    instances: {
      type: 'array',
      description: 'Compute instances, which sign with a key of their own',
      items: {
        type: 'object',
        required: ['id'],
        additionalProperties: false,
        properties: {
          id: idSchema,
          tenancy: { ...idSchema, description: 'Default: the first tenancy' },
          dynamic_groups: { ...ids, description: 'Dynamic groups by id' },
          key: pem,
        },
      },
    },
  },
} as const

/** Does a part of the work; its refusals are to name the place in the document. */
export type InPlace = <T>(place: readonly string[], load: () => T) => T

/**
 * Adds identities, or replaces those of the same id; tenancies that they name are added too. The
 * document has the shape of `cloudIdentitiesSchema`.
 *
 * @param at names the place in refusals: `invalid` for text that is no RSA key in PEM form.
 */
export function addCloudIdentities(world: World, document: CloudIdentities, at: InPlace): void {
  const { tenancies = [], users = [], instances = [] } = document
  const home = tenancies[0] ?? exampleIds(world).tenancy
  world.write(() => {
    for (const tenancy of tenancies) addTenancy(world, tenancy)
    for (const [index, { id, tenancy = home, groups = [], keys = [] }] of users.entries()) {
      const read = keys.map((text, position) =>
        at(['users', String(index), 'keys', String(position)], () => keep(world, text)),
      )
      addTenancy(world, tenancy)
      world.table(cloudUsers).put(id, {
        id,
        tenancy,
        groups,
        keys: Object.fromEntries(
          read.map(({ fingerprint, publicKey }) => [fingerprint, publicKey]),
        ),
      })
    }
    for (const [index, form] of instances.entries()) {
      const { id, tenancy = home, dynamic_groups = [], key: text } = form
      const key =
        text === undefined
          ? null
          : at(['instances', String(index), 'key'], () => keep(world, text)).publicKey
      addTenancy(world, tenancy)
      world.table(cloudInstances).put(id, { id, tenancy, dynamic_groups, key })
    }
  })
}

function addTenancy(world: World, id: string): void {
  if (!world.table(cloudTenancies).has(id)) world.table(cloudTenancies).put(id, { id })
}

function keep(world: World, text: string): IdentityKey {
  const key = readKey(text)
  keepPrivateKey(world, key)
  return key
}

/** A key as callers see it. */
export interface CloudKeyView {
  readonly fingerprint: string
  /** PEM. */
  readonly public_key: string
  /** Whether the private half is held too, so that logins can be signed here. */
  readonly signs: boolean
}

/** Every identity there is, in order of id. */
export interface CloudView {
  readonly tenancies: readonly string[]
  readonly users: readonly {
    readonly id: string
    readonly tenancy: string
    readonly groups: readonly string[]
    readonly keys: readonly CloudKeyView[]
  }[]
  readonly instances: readonly {
    readonly id: string
    readonly tenancy: string
    readonly dynamic_groups: readonly string[]
    /** Null until one is made. */
    readonly key: CloudKeyView | null
  }[]
}

/** The identities of a world; makes no keys. */
export function cloudView(world: World): CloudView {
  return {
    tenancies: Array.from(world.table(cloudTenancies).rows(), ({ id }) => id),
    users: Array.from(world.table(cloudUsers).rows(), ({ keys, ...user }) => ({
      ...user,
      keys: Object.entries(keys).map(([name, text]) => keyView(world, name, text)),
    })),
    instances: Array.from(world.table(cloudInstances).rows(), ({ key, ...instance }) => ({
      ...instance,
      key: key === null ? null : keyView(world, fingerprintOf(key) ?? '', key),
    })),
  }
}

function keyView(world: World, fingerprint: string, publicKey: string): CloudKeyView {
  const signs = world.table(cloudPrivateKeys).has(fingerprint)
  return { fingerprint, public_key: publicKey, signs }
}
