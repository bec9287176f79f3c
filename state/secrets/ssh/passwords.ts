import { isIP } from 'node:net'
import { quoteGo } from '../../go/text.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import { defaultLeaseTtl, type Mount, MountRow, storagePrefix, walField } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { checkLeaseCount } from '../quotas/lease-counts.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { refuse } from './messages.ts'
import { isInLists } from './networks.ts'
import { sshRoles } from './roles.ts'

/**
 * Target of a one-time password; the password itself is in the key of the row
 * (behaviour/secrets#ssh-passwords).
 */
const passwordShape = struct({ ip: text, username: text, role_name: text, ...walField })
type OneTimePassword = StoredOf<typeof passwordShape>

/** One-time passwords by mount and password. */
export const sshPasswordTable = secretsTable('ssh-passwords', passwordShape, {
  secrets: { key: true, members: [] },
})

const zeroAddressShape = struct({ roles: list(text), ...walField })
interface ZeroAddress extends StoredOf<typeof zeroAddressShape> {}

/** Roles that can create passwords for any address, one row per mount. */
export const sshZeroAddressTable = secretsTable('ssh-zero-address', zeroAddressShape, {
  secrets: 'none',
})

const zeroAddresses = new MountRow<ZeroAddress>(sshZeroAddressTable, () => refuse('nothing-here'))

/**
 * Returns the roles that can create passwords for any address. Throws an `absent` refusal if no
 * roles were set.
 */
export function zeroAddressRoles(world: World, mount: Mount): readonly string[] {
  return zeroAddresses.read(world, mount).roles
}

/**
 * Replaces the roles that can create passwords for any address. Throws an `invalid` refusal for an
 * empty list and for unknown roles.
 */
export function setZeroAddressRoles(world: World, mount: Mount, roles: readonly string[]): void {
  if (roles.length === 0) throw refuse('ssh-roles-missing')
  for (const name of roles) {
    if (sshRoles.find(world, mount, name) === undefined) {
      throw refuse('ssh-zero-address-role-unknown', { name: quoteGo(name) })
    }
  }
  zeroAddresses.put(world, mount, { roles })
}

export function clearZeroAddressRoles(world: World, mount: Mount): void {
  zeroAddresses.remove(world, mount)
}

/** Deletes a role, also from the list of roles that can create passwords for any address. */
export function deleteSshRole(world: World, mount: Mount, name: string): void {
  world.write(() => {
    const zeroAddress = zeroAddresses.find(world, mount)
    if (zeroAddress?.roles.includes(name)) {
      const roles = zeroAddress.roles.filter((each) => each !== name)
      zeroAddresses.put(world, mount, { roles })
    }
    sshRoles.remove(world, mount, name)
  })
}

const revokeJob = 'secrets.ssh.revoke'

/**
 * The agenda runs this job when the lease of a password ends; `id` is the key of the password's
 * row.
 */
export const sshJobs: Readonly<Record<string, JobHandler>> = {
  [revokeJob]: (world, { id }) => {
    world.table(sshPasswordTable).delete(id)
  },
}

interface PasswordCall {
  readonly mount: Mount
  readonly namespace: Namespace
  /** Request path within the namespace. */
  readonly path: string
  readonly token: Token
}

interface CreatedPassword {
  readonly key: string
  readonly ip: string
  readonly username: string
  readonly port: number
  readonly lease: Lease
}

/**
 * Creates a one-time password for a user at an address, with a lease that is not renewable.
 *
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#ssh-passwords; 429 if a quota of leases is exhausted
 */
export function createOneTimePassword(
  world: World,
  { mount, namespace, path, token }: PasswordCall,
  name: string,
  request: { readonly ip: string; readonly username: string },
): CreatedPassword {
  const { ip } = request
  if (ip === '') throw refuse('ssh-ip-missing')
  const role = sshRoles.find(world, mount, name)
  if (role === undefined) throw refuse('ssh-role-unknown', { name: quoteGo(name) })
  const { default_user, allowed_users, port } = role
  const username = request.username || default_user
  const allowed = allowed_users.split(',').map((user) => user.trim())
  if (username !== default_user) {
    if (allowed_users === '') throw refuse('ssh-user-not-default')
    if (allowed_users !== '*' && !allowed.includes(username)) throw refuse('ssh-user-not-allowed')
  }
  if (isIP(ip) === 0) throw refuse('ssh-ip-invalid', { ip: quoteGo(ip) })
  const allowsAllAddresses = zeroAddresses.find(world, mount)?.roles.includes(name) === true
  if (!allowsAllAddresses && !isInLists(ip, role.cidr_list, role.exclude_cidr_list)) {
    throw refuse('ssh-ip-of-no-role')
  }
  if (role.key_type !== 'otp') throw refuse('ssh-creds-of-ca')
  checkLeaseCount(world, { namespace, mount, path, role: '' })
  return world.write(() => {
    const key = world.ids.uuid()
    const id = storagePrefix(mount) + key
    const row: OneTimePassword = { ip, username, role_name: name }
    world.table(sshPasswordTable).put(id, row)
    const ttl = defaultLeaseTtl(mount)
    const revoke = { job: revokeJob, id }
    const spec = { namespace, path, token, renewable: false, ttl, revoke }
    return { key, ip, username, port, lease: registerLease(world, spec) }
  })
}

/**
 * Verifies and deletes a one-time password, and returns its target. Throws an `invalid` refusal for
 * an unknown password.
 */
export function useOneTimePassword(world: World, mount: Mount, otp: string) {
  const key = storagePrefix(mount) + otp
  const row = world.table(sshPasswordTable).get(key)
  if (row === undefined) throw refuse('ssh-otp-unknown')
  world.write(() => world.table(sshPasswordTable).delete(key))
  const { ip, role_name, username } = row
  return { ip, role_name, username }
}

/**
 * Returns the roles that create passwords for an address, sorted; null if there are none. Throws an
 * `invalid` refusal for a missing or malformed address.
 */
export function rolesForAddress(world: World, mount: Mount, ip: string): string[] | null {
  if (ip === '') throw refuse('ssh-ip-missing')
  // The reference's message contains the parsed address. Parsing has failed, so the address is nil,
  // which Go prints as `<nil>`.
  if (isIP(ip) === 0) throw refuse('ssh-ip-invalid', { ip: quoteGo('<nil>') })
  const matching = sshRoles.names(world, mount).filter((name) => {
    const { cidr_list, exclude_cidr_list } = sshRoles.read(world, mount, name)
    return isInLists(ip, cidr_list, exclude_cidr_list)
  })
  const all = new Set([...matching, ...(zeroAddresses.find(world, mount)?.roles ?? [])])
  return all.size === 0 ? null : [...all].sort()
}
