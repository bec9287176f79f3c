import { instant, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isBlank, type TextInput } from '../names.ts'
import { platformTable } from '../table.ts'
import { invalidAttributes, violation } from '../violations.ts'
import { keyIdOf } from './openpgp.ts'

export const gpgKeyAttributes = {
  /** The organization's name. */
  namespace: text,
  ascii_armor: text,
  /** Last 16 hexadecimal digits of the fingerprint. */
  key_id: text,
  created_at: instant,
  updated_at: instant,
}

const keyShape = struct({
  ...gpgKeyAttributes,
  /** A decimal number, unique in the world. */
  id: text,
})

/** A public key whose private key signs provider versions (behaviour/platform#gpg-keys). */
export interface GpgKey extends StoredOf<typeof keyShape> {}

/** GPG keys by `<namespace>/<key id>`. */
export const gpgKeys = platformTable('gpg-keys', keyShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

export function gpgKeysOf(world: World, namespace: string): GpgKey[] {
  const found = Array.from(world.table(gpgKeys).rows(`${namespace}/`))
  return found.sort((one, other) => Number(other.id) - Number(one.id))
}

export function gpgKeyNamed(world: World, namespace: string, keyId: string): GpgKey | undefined {
  return world.table(gpgKeys).get(`${namespace}/${keyId}`)
}

/**
 * Adds a key. Throws 422 if the ASCII armor contains no valid key, or if the namespace already has
 * the key.
 */
export function createGpgKey(
  world: World,
  namespace: string,
  { ascii_armor }: TextInput<'ascii_armor'>,
): GpgKey {
  if (isBlank(ascii_armor)) throw invalidAttributes([violation('ascii-armor', 'blank')])
  const key_id = keyIdOf(ascii_armor)
  if (key_id === undefined) throw invalidAttributes([violation('ascii-armor', 'invalid')])
  checkKeyIdUnused(world, namespace, key_id)
  const table = world.table(gpgKeys)
  const now = world.clock.now()
  return world.write(() => {
    let last = 0
    for (const key of table.rows()) last = Math.max(last, Number(key.id))
    const id = String(last + 1)
    const key = { id, namespace, ascii_armor, key_id, created_at: now, updated_at: now }
    table.put(`${namespace}/${key_id}`, key)
    return key
  })
}

/** Moves a key to another namespace. Throws 422 if that namespace already has the key. */
export function moveGpgKey(world: World, key: GpgKey, namespace: string): GpgKey {
  if (namespace !== key.namespace) checkKeyIdUnused(world, namespace, key.key_id)
  const table = world.table(gpgKeys)
  const moved = { ...key, namespace, updated_at: world.clock.now() }
  world.write(() => {
    table.delete(`${key.namespace}/${key.key_id}`)
    table.put(`${namespace}/${key.key_id}`, moved)
  })
  return moved
}

function checkKeyIdUnused(world: World, namespace: string, keyId: string): void {
  if (gpgKeyNamed(world, namespace, keyId) === undefined) return
  throw invalidAttributes([violation('ascii-armor', 'taken')])
}

export function deleteGpgKey(world: World, { namespace, key_id }: GpgKey): void {
  world.write(() => world.table(gpgKeys).delete(`${namespace}/${key_id}`))
}
