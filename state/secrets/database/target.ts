import type { JsonObject } from '../../kernel/json.ts'

/** The database and the user of a connection. */
export interface DatabaseTarget {
  /** Host and port, or the whole address if it contains no host. */
  readonly id: string
  readonly host: string
  readonly database: string
  readonly plugin: string
  readonly username: string
  readonly password: string
}

/** Returns a connection detail as text; empty if the detail is missing or not a scalar. */
export const textAt = (details: JsonObject, name: string): string => {
  const value = details[name]
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}

/**
 * Returns the address in the details of a connection; empty if the details have no address. Plugins
 * without `connection_url` have the address in other members.
 */
export function addressOf(details: JsonObject): string {
  const [first = ''] = ['connection_url', 'url', 'hosts']
    .map((name) => textAt(details, name))
    .filter((text) => text !== '')
  if (first !== '') return first
  const [host, port] = [
    textAt(details, 'host') || textAt(details, 'project_id'),
    textAt(details, 'port'),
  ]
  return host === '' || port === '' ? host : `${host}:${port}`
}

/** Pattern of the user and password in an address, as in `postgresql://user:password@host`. */
const userInfo = /(?:^|:\/\/)([^:@/?\s]+):(?!\/\/)([^@\s]*)@/

/**
 * Returns the plaintext password in an address. Returns undefined if the address has no password,
 * or has a template in place of the password.
 */
export function passwordInAddress(address: string): string | undefined {
  const password = userInfo.exec(address)?.[2]
  return password === undefined || password === '' || password.includes('{{') ? undefined : password
}

/** Replaces a plaintext password in an address with `xxxxx`. */
export function hidePassword(address: string): string {
  const password = passwordInAddress(address)
  return password === undefined ? address : address.replace(`:${password}@`, ':xxxxx@')
}

interface Connection {
  readonly plugin_name: string
  /** Details for the plugin, without the password. */
  readonly details: JsonObject
  readonly password: string
}

/**
 * Parses the details of a connection. A plaintext password in the address takes precedence over the
 * separate password.
 */
export function targetOf(config: Connection): DatabaseTarget {
  const address = addressOf(config.details)
  const [, user = '', passwordInUrl = ''] = userInfo.exec(address) ?? []
  const configuredUsername = textAt(config.details, 'username')
  const username = configuredUsername !== '' ? configuredUsername : user.includes('{{') ? '' : user
  const password = passwordInAddress(address) === undefined ? config.password : passwordInUrl
  const id = hostAndPort(address)
  const [host = id] = id.split(/:(?=\d+$)/)
  return {
    id,
    host,
    database: databaseName(address) || username,
    plugin: config.plugin_name,
    username,
    password,
  }
}

/** Returns the host and port in an address. Returns an address without a host unchanged. */
function hostAndPort(address: string): string {
  const parenthesizedHost = /@?(?:tcp|unix)\(([^)]+)\)/.exec(address)?.[1]
  if (parenthesizedHost !== undefined) return parenthesizedHost
  const host = /(?:^|[\s;])(?:host|server)=([^\s;]+)/i.exec(address)?.[1]
  if (host !== undefined) {
    const port = /(?:^|[\s;])port=(\d+)/i.exec(address)?.[1]
    return port === undefined ? host : `${host}:${port}`
  }
  const withoutScheme = address.replace(/^[\w+.-]+:\/\//, '')
  const authority = /^(?:.*@)?([^/?@\s]+)/.exec(withoutScheme)?.[1]
  return authority ?? address
}

function databaseName(address: string): string {
  const named = /(?:^|[\s;])(?:dbname|database)=([^\s;]+)/i.exec(address)?.[1]
  return named ?? /^[\w+.-]+:\/\/[^/]*\/([^?\s]+)/.exec(address)?.[1] ?? ''
}
