import { list, map, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import type { IdentityKey } from './keys.ts'

/*
 * The simulated cloud that identities belong to (behaviour/secrets#cloud-principals). All mounts
 * and namespaces of a world share the cloud, because the cloud is not part of the service.
 */

/** A customer account of the cloud. */
const cloudTenancyShape = struct({ id: text })
export interface CloudTenancy extends StoredOf<typeof cloudTenancyShape> {}

/** A person or program that signs with API keys. */
const cloudUserShape = struct({
  id: text,
  /** Tenancy id. */
  tenancy: text,
  /** Ids of the user's groups. */
  groups: list(text),
  /** Public keys in PEM format, by fingerprint; empty until a key is generated or provided. */
  keys: map(text),
})
export interface CloudUser extends StoredOf<typeof cloudUserShape> {}

/** A compute instance that signs with its own key. */
const cloudInstanceShape = struct({
  id: text,
  /** Tenancy id. */
  tenancy: text,
  /** Ids of the instance's dynamic groups. */
  dynamic_groups: list(text),
  /** Public key in PEM format; null until a key is generated or provided. */
  key: nullable(text),
})
export interface CloudInstance extends StoredOf<typeof cloudInstanceShape> {}

/** The private half of a key, with which the mock signs logins. */
const cloudPrivateKeyShape = struct({
  /** The private key (PKCS#8) in PEM format. */
  private_key: text,
})

/** Tenancies by id. */
export const cloudTenancies = secretsTable('cloud-tenancies', cloudTenancyShape, {
  secrets: 'none',
})

/** Users by id. */
export const cloudUsers = secretsTable('cloud-users', cloudUserShape, { secrets: 'none' })

/** Instances by id. */
export const cloudInstances = secretsTable('cloud-instances', cloudInstanceShape, {
  secrets: 'none',
})

/** Private keys by fingerprint of the public half. */
export const cloudPrivateKeys = secretsTable('cloud-private-keys', cloudPrivateKeyShape, {
  secrets: { members: ['private_key'] },
})

/** Ids of the example identities that a new world contains. */
interface ExampleIdentityIds {
  readonly tenancy: string
  readonly user: string
  readonly group: string
  readonly instance: string
  readonly dynamicGroup: string
}

const neutralIds: ExampleIdentityIds = {
  tenancy: 'example-tenancy',
  user: 'example-user',
  group: 'example-group',
  instance: 'example-instance',
  dynamicGroup: 'example-dynamic-group',
}

/** Example ids in the vendor's format (behaviour/secrets#vendor-names). */
const vendorIds: ExampleIdentityIds = {
  tenancy: 'ocid1.tenancy.oc1..example',
  user: 'ocid1.user.oc1..example',
  group: 'ocid1.group.oc1..example',
  instance: 'ocid1.instance.oc1..example',
  dynamicGroup: 'ocid1.dynamicgroup.oc1..example',
}

/**
 * Returns the ids of the example identities in a new world. The option `cloudIds` selects the
 * format of the ids.
 */
export function exampleIds(world: World): ExampleIdentityIds {
  return optionsOf(world).cloudIds === 'ocid' ? vendorIds : neutralIds
}

/**
 * Creates the tenancy of a fresh world with one user and one instance, each in one group. The user
 * and the instance do not have keys yet.
 */
export function seedCloud(world: World): void {
  const { tenancy, user, group, instance, dynamicGroup } = exampleIds(world)
  world.table(cloudTenancies).put(tenancy, { id: tenancy })
  world.table(cloudUsers).put(user, { id: user, tenancy, groups: [group], keys: {} })
  world
    .table(cloudInstances)
    .put(instance, { id: instance, tenancy, dynamic_groups: [dynamicGroup], key: null })
}

/**
 * Stores the private half of a key; does nothing if only the public half is known. Must run inside
 * a transaction.
 */
export function storePrivateKey(world: World, { fingerprint, privateKey }: IdentityKey): void {
  if (privateKey === undefined) return
  world.table(cloudPrivateKeys).put(fingerprint, { private_key: privateKey })
}
