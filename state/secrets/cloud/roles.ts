import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { bool, list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { type Mount, nextWal, storagePrefix, written } from '../mounts/mounts.ts'
import { addressIn } from '../tokens/addresses.ts'
import { refuse } from './texts.ts'

/** The type of token that a role asks for; `default` leaves it to the mount. */
type CloudTokenType = 'default' | 'service' | 'batch'

/**
 * Who may log in as the role, and what tokens they get (behaviour/secrets#cloud-role).
 * TTLs and periods in seconds, 0 for none.
 */
const cloudRoleShape = struct({
  /** Ids of groups and dynamic groups whose members may take the role. */
  cid_list: list(text),
  token_bound_cidrs: list(text),
  token_explicit_max_ttl: uint,
  token_max_ttl: uint,
  token_no_default_policy: bool,
  token_num_uses: uint,
  token_period: uint,
  token_policies: list(text),
  token_ttl: uint,
  token_type: word('default', 'service', 'batch'),
  ...written,
})
export interface CloudRole extends Stored<typeof cloudRoleShape> {}

/** By `<mount uuid>/<name in lower case>`. */
export const cloudRoles = defineTable({
  service: 'secrets',
  name: 'cloud-roles',
  shape: cloudRoleShape,
})

const freshRole: CloudRole = {
  cid_list: [],
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: 'default',
}

/** The members that a write may change; `token_type` is not yet known to be one. */
type CloudRoleChange = Partial<Omit<CloudRole, 'token_type'>> & {
  readonly token_type?: string
}

/** More would not fit into one question to the cloud's own service. */
const mostCids = 100

/** A role, whatever the case of its name; undefined when there is none. */
export function findCloudRole(world: World, mount: Mount, name: string): CloudRole | undefined {
  return world.table(cloudRoles).get(keyOf(mount, name))
}

/** A role; refuses with `absent`. */
export function readCloudRole(world: World, mount: Mount, name: string): CloudRole {
  const role = findCloudRole(world, mount, name)
  if (role === undefined) throw refuse('nothing-here')
  return role
}

/** The names of a mount's roles, sorted. */
export function cloudRoleNames(world: World, mount: Mount): string[] {
  return world.table(cloudRoles).children(storagePrefix(mount)).sort(compareBytewise)
}

/** Deletes a role; one that does not exist is fine. */
export function deleteCloudRole(world: World, mount: Mount, name: string): void {
  world.write(() => world.table(cloudRoles).delete(keyOf(mount, name)))
}

/**
 * Makes or changes a role; what is left out stays as it is.
 *
 * @throws invalid for too many ids, an unknown type, and settings below zero or in contradiction, in
 *   the reference's order.
 */
export function writeCloudRole(
  world: World,
  mount: Mount,
  name: string,
  change: CloudRoleChange,
): void {
  const before = findCloudRole(world, mount, name) ?? freshRole
  const { token_type: type = before.token_type, ...rest } = change
  if ((rest.cid_list?.length ?? 0) > mostCids) {
    throw refuse('too-many-cids')
  }
  const merged = { ...before, ...rest }
  const token_bound_cidrs = merged.token_bound_cidrs.map(readAddress)
  checkNotNegative(merged, ['token_explicit_max_ttl', 'token_max_ttl', 'token_period'])
  const role: CloudRole = { ...merged, token_bound_cidrs, token_type: tokenTypeOf(type) }
  checkNotNegative(role, ['token_num_uses'])
  checkBatch(role)
  checkNotNegative(role, ['token_ttl'])
  if (role.token_max_ttl > 0 && role.token_ttl > role.token_max_ttl) {
    throw refuse('role-ttl-above-max')
  }
  world.write(() => {
    world.table(cloudRoles).put(keyOf(mount, name), { ...role, wal: nextWal(world) })
  })
}

/** A network as it is kept (behaviour/secrets#logins). Refuses what is none. */
function readAddress(text: string): string {
  const address = addressIn(text)
  if (address === undefined) throw refuse('cloud-address-unreadable', { text })
  return address
}

type NumberField = 'token_explicit_max_ttl' | 'token_max_ttl' | 'token_period' | 'token_ttl'

function checkNotNegative(
  role: Readonly<Record<NumberField | 'token_num_uses', number>>,
  names: readonly (NumberField | 'token_num_uses')[],
): void {
  for (const name of names) {
    if (role[name] < 0) throw refuse('role-setting-negative', { name })
  }
}

function tokenTypeOf(text: string): CloudTokenType {
  switch (text) {
    case '':
      return 'default'
    case 'default':
    case 'service':
    case 'batch':
      return text
  }
  throw refuse('cloud-token-type-unknown', { text: quoteGo(text) })
}

function checkBatch(role: CloudRole): void {
  if (role.token_type !== 'batch') return
  if (role.token_period !== 0) throw refuse('batch-role-periodic')
  if (role.token_num_uses !== 0) throw refuse('batch-role-limited')
}

function keyOf(mount: Mount, name: string): string {
  return storagePrefix(mount) + name.toLowerCase()
}
