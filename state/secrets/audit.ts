import { createHmac } from 'node:crypto'
import { quoteGo } from '../go/text.ts'
import { bool, map, text } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import type { Namespace } from './namespaces/namespaces.ts'

/** An audit device: what it would write is written nowhere (behaviour/secrets#small-endpoints). */
const auditDeviceShape = struct({
  /** From the namespace, with a closing slash. */
  path: text,
  type: text,
  description: text,
  options: map(text),
  local: bool,
  /** What its hashes are keyed by; never told. */
  salt: text,
})
export interface AuditDevice extends StoredOf<typeof auditDeviceShape> {}

/** By `<namespace id>/<path>`. */
export const auditDevices = defineTable({
  service: 'secrets',
  name: 'audit-devices',
  shape: auditDeviceShape,
})

/** What a caller asks of a new device. */
export type AuditRequest = Omit<AuditDevice, 'salt'>

const formats: readonly string[] = ['json', 'jsonx']

/** The devices of a namespace, by path. */
export function auditDevicesIn(world: World, namespace: Namespace): AuditDevice[] {
  return [...world.table(auditDevices).rows(`${namespace.id}/`)]
}

/**
 * Enables a device. Refuses with `invalid`, in the reference's order: a path that is taken, also from
 * above or below, an unknown type, settings that are missing, an unknown format.
 */
export function enableAudit(world: World, namespace: Namespace, request: AuditRequest): void {
  const path = auditPath(request.path)
  if (path === '/') throw refuse('audit-path-missing')
  const nested = auditDevicesIn(world, namespace).some(
    (other) => other.path.startsWith(path) || path.startsWith(other.path),
  )
  if (nested) throw refuse('audit-path-taken')
  checkSettings(request)
  const device = { ...request, path, salt: world.ids.hex(64) }
  world.write(() => world.table(auditDevices).put(`${namespace.id}/${path}`, device))
}

function checkSettings({ type, options }: AuditRequest): void {
  if (!['file', 'socket', 'syslog'].includes(type)) {
    throw refuse('audit-type-unknown', { type: quoteGo(type) })
  }
  if (type === 'file' && options['file_path'] === undefined && options['path'] === undefined) {
    throw refuse('audit-file-missing')
  }
  if (type === 'socket' && options['address'] === undefined) throw refuse('audit-address-missing')
  const { format = 'json' } = options
  if (!formats.includes(format)) throw refuse('audit-format-unknown', { format: quoteGo(format) })
}

/** Disables a device; an unknown one is fine. */
export function disableAudit(world: World, namespace: Namespace, path: string): void {
  world.write(() => world.table(auditDevices).delete(`${namespace.id}/${auditPath(path)}`))
}

/** The hash that a device would write of a text; refuses with `invalid` for no text or device. */
export function auditHash(world: World, namespace: Namespace, path: string, input: string): string {
  if (input === '') throw refuse('audit-input-empty')
  const at = auditPath(path)
  const device = world.table(auditDevices).get(`${namespace.id}/${at}`)
  if (device === undefined) throw refuse('audit-device-unknown', { path: quoteGo(at) })
  return `hmac-sha256:${createHmac('sha256', device.salt).update(input).digest('hex')}`
}

function auditPath(provided: string): string {
  return provided.endsWith('/') ? provided : `${provided}/`
}

/** A request header that audit devices would write; kept and told only. */
const auditHeaderShape = struct({ hmac: bool })

/** By header name in lower case. */
export const auditHeaders = defineTable({
  service: 'secrets',
  name: 'audit-headers',
  shape: auditHeaderShape,
})

/** The headers that devices would write, by name, and whether they would be hashed. */
export function readAuditHeaders(world: World): Readonly<Record<string, { hmac: boolean }>> {
  return Object.fromEntries(world.table(auditHeaders).entries())
}

/** One of them by its name in lower case; refuses with `invalid` one that is not written. */
export function readAuditHeader(world: World, name: string): { readonly hmac: boolean } {
  const header = world.table(auditHeaders).get(name.toLowerCase())
  if (header === undefined) throw refuse('audit-header-unknown')
  return header
}

/** Has a header written, hashed or not. */
export function writeAuditHeader(world: World, name: string, hmac: boolean): void {
  world.write(() => world.table(auditHeaders).put(name.toLowerCase(), { hmac }))
}

/** Has a header written no more. */
export function deleteAuditHeader(world: World, name: string): void {
  world.write(() => world.table(auditHeaders).delete(name.toLowerCase()))
}
