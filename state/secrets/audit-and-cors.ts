import { createHmac } from 'node:crypto'
import { quoteGo } from '../go/text.ts'
import { bool, list, map, text } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import type { Namespace } from './namespaces/namespaces.ts'
import { secretsTable } from './table.ts'

/**
 * An audit device. Devices are stored and listed, but write nothing
 * (behaviour/secrets#small-endpoints).
 */
const auditDeviceShape = struct({
  /** Path within the namespace, with a trailing slash. */
  path: text,
  type: text,
  description: text,
  options: map(text),
  local: bool,
  /** HMAC key with which the device would hash strings. No reply contains the key. */
  salt: text,
})
interface AuditDevice extends StoredOf<typeof auditDeviceShape> {}

/** Devices by `<namespace id>/<path>`. */
export const auditDevices = secretsTable('audit-devices', auditDeviceShape, {
  secrets: { members: ['salt'] },
})

type AuditRequest = Omit<AuditDevice, 'salt'>

const formats: readonly string[] = ['json', 'jsonx']

/** Returns the devices of a namespace, sorted by path. */
export function auditDevicesIn(world: World, namespace: Namespace): AuditDevice[] {
  return [...world.table(auditDevices).rows(`${namespace.id}/`)]
}

/**
 * Enables an audit device. Throws an `invalid` refusal, in the reference's order, for a missing
 * path, for a path that is in use or lies above or below a path in use, for an unknown type, for
 * missing settings, and for an unknown format.
 */
export function enableAudit(world: World, namespace: Namespace, request: AuditRequest): void {
  const path = auditPath(request.path)
  if (path === '/') throw refuse('audit-path-missing')
  const overlapsExisting = auditDevicesIn(world, namespace).some(
    (other) => other.path.startsWith(path) || path.startsWith(other.path),
  )
  if (overlapsExisting) throw refuse('audit-path-taken')
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

/** Deletes an audit device. Does nothing if the namespace has no device at the path. */
export function disableAudit(world: World, namespace: Namespace, path: string): void {
  world.write(() => world.table(auditDevices).delete(`${namespace.id}/${auditPath(path)}`))
}

/**
 * Returns the hash that a device would write for a string. Throws an `invalid` refusal if the
 * string is empty or no device has the path.
 */
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

/** A request header that audit devices would log; stored and returned without effect. */
const auditHeaderShape = struct({ hmac: bool })

/** Audited headers by name in lower case. */
export const auditHeaders = secretsTable('audit-headers', auditHeaderShape, { secrets: 'none' })

/**
 * Returns all audited headers by name in lower case. `hmac` is true if devices would hash the
 * value.
 */
export function readAuditHeaders(world: World): Readonly<Record<string, { hmac: boolean }>> {
  return Object.fromEntries(world.table(auditHeaders).entries())
}

/**
 * Returns an audited header; the case of `name` does not matter.
 * @throws Refusal `invalid` if the header is not audited
 */
export function readAuditHeader(world: World, name: string): { readonly hmac: boolean } {
  const header = world.table(auditHeaders).get(name.toLowerCase())
  if (header === undefined) throw refuse('audit-header-unknown')
  return header
}

/**
 * Adds or replaces an audited header.
 * @param hmac whether devices would hash the value of the header
 */
export function writeAuditHeader(world: World, name: string, hmac: boolean): void {
  world.write(() => world.table(auditHeaders).put(name.toLowerCase(), { hmac }))
}

/** Deletes an audited header. Does nothing if the header is not audited. */
export function deleteAuditHeader(world: World, name: string): void {
  world.write(() => world.table(auditHeaders).delete(name.toLowerCase()))
}

/** Setting for cross-origin requests (behaviour/secrets#cors). */
const corsSettingsShape = struct({
  /** Exact origins, or only `*` for all. */
  allowed_origins: list(text, { minItems: 1 }),
  /** Request headers that are allowed in addition to the standard headers. */
  allowed_headers: list(text),
})
export interface CorsSettings extends StoredOf<typeof corsSettingsShape> {}

/** The CORS setting, in a single row under `cors`. No row exists while CORS is off. */
export const corsSettings = secretsTable('cors', corsSettingsShape, { secrets: 'none' })

const corsKey = 'cors'
const anyOrigin = '*'

/** Returns the CORS setting; undefined while CORS is off. */
export function readCors(world: World): CorsSettings | undefined {
  return world.table(corsSettings).get(corsKey)
}

/**
 * Replaces the CORS setting and enables CORS.
 *
 * @throws Refusal `invalid` (in the vendor dialect an internal error) if there is no origin, or if
 *   `*` is listed together with other origins
 */
export function enableCors(world: World, settings: CorsSettings): void {
  const { allowed_origins, allowed_headers } = settings
  if (allowed_origins.length === 0) throw refuse('cors-origins-missing')
  if (allowed_origins.includes(anyOrigin) && allowed_origins.length > 1) {
    throw refuse('cors-wildcard-alone')
  }
  world.write(() => world.table(corsSettings).put(corsKey, { allowed_origins, allowed_headers }))
}

/** Deletes the CORS setting, which disables CORS. Does nothing while CORS is off. */
export function disableCors(world: World): void {
  world.write(() => world.table(corsSettings).delete(corsKey))
}

/**
 * Returns whether the setting allows an origin. Compares origins exactly; `*` in the setting allows
 * every origin.
 */
export function allowsOrigin({ allowed_origins }: CorsSettings, origin: string): boolean {
  return allowed_origins[0] === anyOrigin || allowed_origins.includes(origin)
}
