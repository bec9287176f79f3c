import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { optionsOf } from '../options.ts'
import type { IdentityKey } from './keys.ts'

/*
 * The cloud that identities come from, as far as the method asks it (1-secrets-decisions.md section
 * 10, Mock holds). It is outside the service: one for all mounts and namespaces of a world.
 */

/** An account of the cloud. */
export interface CloudTenancy {
  readonly id: string
}

/** A person or program that signs with API keys. */
export interface CloudUser {
  readonly id: string
  /** Tenancy id. */
  readonly tenancy: string
  /** Ids of the groups it is in. */
  readonly groups: readonly string[]
  /** Public keys as PEM by fingerprint; none until one is made or given. */
  readonly keys: Readonly<Record<string, string>>
}

/** A compute instance that signs with a key of its own. */
export interface CloudInstance {
  readonly id: string
  /** Tenancy id. */
  readonly tenancy: string
  /** Ids of the dynamic groups it is in. */
  readonly dynamic_groups: readonly string[]
  /** Public key as PEM; null until one is made or given. */
  readonly key: string | null
}

/** The private half of a key, for logins that are signed here. */
export interface CloudPrivateKey {
  /** PKCS#8 as PEM. */
  readonly private_key: string
}

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

/** By id. */
export const cloudTenancies = defineTable<CloudTenancy>({
  service: 'secrets',
  name: 'cloud-tenancies',
  schema: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: text },
  },
})

/** By id. */
export const cloudUsers = defineTable<CloudUser>({
  service: 'secrets',
  name: 'cloud-users',
  schema: {
    type: 'object',
    required: ['id', 'tenancy', 'groups', 'keys'],
    additionalProperties: false,
    properties: {
      id: text,
      tenancy: text,
      groups: texts,
      keys: { type: 'object', additionalProperties: text },
    },
  },
})

/** By id. */
export const cloudInstances = defineTable<CloudInstance>({
  service: 'secrets',
  name: 'cloud-instances',
  schema: {
    type: 'object',
    required: ['id', 'tenancy', 'dynamic_groups', 'key'],
    additionalProperties: false,
    properties: {
      id: text,
      tenancy: text,
      dynamic_groups: texts,
      key: { type: ['string', 'null'] },
    },
  },
})

/** By fingerprint of the public half. */
export const cloudPrivateKeys = defineTable<CloudPrivateKey>({
  service: 'secrets',
  name: 'cloud-private-keys',
  schema: {
    type: 'object',
    required: ['private_key'],
    additionalProperties: false,
    properties: { private_key: text },
  },
})

/** What the cloud of a fresh world consists of. */
export interface ExampleIds {
  readonly tenancy: string
  readonly user: string
  readonly group: string
  readonly instance: string
  readonly dynamicGroup: string
}

const plainIds: ExampleIds = {
  tenancy: 'example-tenancy',
  user: 'example-user',
  group: 'example-group',
  instance: 'example-instance',
  dynamicGroup: 'example-dynamic-group',
}

/** As the vendor's ids look (1-secrets-decisions.md section 11). */
const vendorIds: ExampleIds = {
  tenancy: 'ocid1.tenancy.oc1..example',
  user: 'ocid1.user.oc1..example',
  group: 'ocid1.group.oc1..example',
  instance: 'ocid1.instance.oc1..example',
  dynamicGroup: 'ocid1.dynamicgroup.oc1..example',
}

/** The ids that a fresh world's cloud has. */
export function exampleIds(world: World): ExampleIds {
  return optionsOf(world).cloudIds === 'ocid' ? vendorIds : plainIds
}

/** Puts a tenancy into a fresh world with a user and an instance, each in a group, without keys. */
export function seedCloud(world: World): void {
  const { tenancy, user, group, instance, dynamicGroup } = exampleIds(world)
  world.table(cloudTenancies).put(tenancy, { id: tenancy })
  world.table(cloudUsers).put(user, { id: user, tenancy, groups: [group], keys: {} })
  world
    .table(cloudInstances)
    .put(instance, { id: instance, tenancy, dynamic_groups: [dynamicGroup], key: null })
}

/** Keeps the private half of a key, if it is there; part of a transaction. */
export function keepPrivateKey(world: World, { fingerprint, privateKey }: IdentityKey): void {
  if (privateKey === undefined) return
  world.table(cloudPrivateKeys).put(fingerprint, { private_key: privateKey })
}
