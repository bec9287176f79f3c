import { list, name, text, textOf } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../../kernel/worlds/document-loading.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { fingerprintOf, type IdentityKey, readKey } from './keys.ts'
import {
  cloudInstances,
  cloudPrivateKeys,
  cloudTenancies,
  cloudUsers,
  exampleIds,
  storePrivateKey,
} from './principals.ts'

/**
 * Pattern of ids. A slash separates the parts of a key id, and a quote would end the key id in a
 * header, so ids contain neither. Ids also contain no whitespace and no backslash.
 */
const id = textOf({ pattern: '^[^/\\s"\\\\]+$' })
const pem = described(text, 'RSA key in PEM, public or private')
const tenancy = optional(described(id, 'Id of the tenancy; the first tenancy if left out'))

/**
 * A user in fixtures and control calls. If a key is private, the mock can sign logins of the user.
 */
const cloudUserShape = struct({
  id,
  tenancy,
  groups: optional(described(list(name), 'Groups by id')),
  keys: optional(
    described(list(pem), 'API keys of the user; a key is generated on demand if there are none'),
  ),
})

/**
 * An instance in fixtures and control calls. If the key is private, the mock can sign logins of the
 * instance.
 */
const cloudInstanceShape = struct({
  id,
  tenancy,
  dynamic_groups: optional(described(list(name), 'Dynamic groups by id')),
  key: optional(pem),
})

/** Identities to add. An identity replaces an existing identity with the same id. */
export const cloudIdentitiesShape = described(
  struct({
    tenancies: optional(described(list(id), 'Tenancies by id')),
    users: optional(described(list(cloudUserShape), 'Users, who sign with API keys')),
    instances: optional(
      described(
        list(cloudInstanceShape),
        'Compute instances, each of which signs with its own key',
      ),
    ),
  }),
  'Identities that may sign logins of the cloud method',
)
export interface CloudUserForm extends InputOf<typeof cloudUserShape> {}
export interface CloudInstanceForm extends InputOf<typeof cloudInstanceShape> {}
export interface CloudIdentities extends InputOf<typeof cloudIdentitiesShape> {}

/**
 * Function that runs `load` and prefixes the messages of its refusals with a JSON pointer into the
 * document.
 */
type AtPointer = <T>(pointer: readonly string[], load: () => T) => T

/**
 * Adds identities with their private keys, and the tenancies named by the identities. An identity
 * replaces an existing identity with the same id. The document has the shape of
 * `cloudIdentitiesShape`.
 *
 * @param at prefixes refusals, such as `invalid` for a string that is not an RSA key in PEM form,
 *   with the JSON pointer of the member
 * @param part loads one key; decides whether a refused key is skipped or ends the load
 */
export function addCloudIdentities(
  world: World,
  document: CloudIdentities,
  at: AtPointer,
  part: LoadPart = loadUntilRefused,
): void {
  const { tenancies = [], users = [], instances = [] } = document
  const homeTenancy = tenancies[0] ?? exampleIds(world).tenancy
  world.write(() => {
    for (const tenancy of tenancies) addTenancy(world, tenancy)
    for (const [index, { id, tenancy = homeTenancy, groups = [], keys = [] }] of users.entries()) {
      const storedKeys = keys.flatMap((text, position) => {
        const pointer = ['users', String(index), 'keys', String(position)]
        return part(() => at(pointer, () => storeKey(world, text))) ?? []
      })
      addTenancy(world, tenancy)
      world.table(cloudUsers).put(id, {
        id,
        tenancy,
        groups,
        keys: Object.fromEntries(
          storedKeys.map(({ fingerprint, publicKey }) => [fingerprint, publicKey]),
        ),
      })
    }
    for (const [index, form] of instances.entries()) {
      const { id, tenancy = homeTenancy, dynamic_groups = [], key: text } = form
      const key =
        text === undefined
          ? undefined
          : part(() => at(['instances', String(index), 'key'], () => storeKey(world, text)))
              ?.publicKey
      addTenancy(world, tenancy)
      world.table(cloudInstances).put(id, { id, tenancy, dynamic_groups, key: key ?? null })
    }
  })
}

function addTenancy(world: World, id: string): void {
  if (!world.table(cloudTenancies).has(id)) world.table(cloudTenancies).put(id, { id })
}

function storeKey(world: World, text: string): IdentityKey {
  const key = readKey(text)
  storePrivateKey(world, key)
  return key
}

/** A key as the control plane shows it, without the private key. */
export interface CloudKeyView {
  readonly fingerprint: string
  /** Public key in PEM format. */
  readonly public_key: string
  /** Whether the private key is stored, so that the mock can sign logins with the key. */
  readonly signs: boolean
}

/** All identities as the control plane shows them, sorted by id. */
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
    /** Key of the instance; null until a key is generated or provided. */
    readonly key: CloudKeyView | null
  }[]
}

/** Returns all identities. Does not generate missing keys. */
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
