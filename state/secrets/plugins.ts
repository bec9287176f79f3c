import { quoteGo } from '../go/text.ts'
import { list, name, text, word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { secretsTable } from './table.ts'

/** Kinds of plug-ins, in the order in which replies list them. */
export const pluginKinds = ['auth', 'secret', 'database'] as const
export type PluginKind = (typeof pluginKinds)[number]

/** A registered plug-in, which is never run (behaviour/secrets#plugins). */
const pluginShape = struct({
  type: word(...pluginKinds),
  name,
  command: text,
  args: list(text),
  /** SHA-256 hash of the program in hex. The hash is never compared. */
  sha256: text,
  /** Canonical version such as `v1.2.3`; empty if the plug-in has no version. */
  version: text,
})
interface Plugin extends StoredOf<typeof pluginShape> {}

/** Registered plug-ins by `<type>/<name>/<version>`. */
export const pluginTable = secretsTable('plugins', pluginShape, { secrets: 'none' })

interface PluginRegistration {
  readonly type: PluginKind
  readonly name: string
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly sha256?: string | undefined
  readonly version?: string | undefined
}

/**
 * Returns the plug-ins of a kind in the order of their keys, by name and then by version as text.
 */
export function registeredPlugins(world: World, type: PluginKind): Plugin[] {
  return [...world.table(pluginTable).rows(`${type}/`)]
}

/** Returns a registered plug-in. Returns undefined unless the exact version is registered. */
export function findPlugin(
  world: World,
  type: string,
  name: string,
  version: string,
): Plugin | undefined {
  return world.table(pluginTable).get(`${type}/${name}/${version}`)
}

/**
 * Checks a registration in the order of the reference, and returns the plug-in without storing it.
 * @throws Refusal `invalid` for a malformed or reserved version, a missing or malformed hash, a
 *   missing command, and arguments in both `command` and `args`
 */
export function checkedPlugin(registration: PluginRegistration): Plugin {
  const { type, name, sha256 = '', command = '', args = [] } = registration
  const version = canonicalVersion(registration.version ?? '')
  if (isBuiltInVersion(version)) {
    throw refuse('plugin-version-reserved', { version: quoteGo(version) })
  }
  if (sha256 === '') throw refuse('plugin-hash-missing')
  if (command === '') throw refuse('plugin-command-missing')
  const [program = '', ...words] = command.split(' ')
  if (words.length > 0 && args.length > 0) throw refuse('plugin-arguments-twice')
  if (sha256.length % 2 === 1 || !/^[0-9a-f]+$/i.test(sha256)) throw refuse('plugin-hash-encoding')
  return {
    type,
    name,
    command: program,
    args: words.length > 0 ? words : args,
    sha256: sha256.toLowerCase(),
    version,
  }
}

/** Stores a plug-in, replacing a plug-in with the same type, name and version. */
export function putPlugin(world: World, plugin: Plugin): void {
  const { type, name, version } = plugin
  world.write(() => world.table(pluginTable).put(`${type}/${name}/${version}`, plugin))
}

/** Deletes a plug-in. Does nothing if the exact version is not registered. */
export function deletePlugin(world: World, type: PluginKind, name: string, version: string): void {
  world.write(() => world.table(pluginTable).delete(`${type}/${name}/${version}`))
}

/**
 * Returns the canonical form of a version in a deletion request.
 * @throws Refusal `invalid` if only built-in plug-ins can have the version
 */
export function deletableVersion(requested: string): string {
  const version = canonicalVersion(requested)
  if (isBuiltInVersion(version)) {
    throw refuse('plugin-version-undeletable', { version: quoteGo(version) })
  }
  return version
}

/**
 * Returns whether a version has the build metadata `builtin`, as in `v1.2.3+builtin`, which only
 * built-in plug-ins have.
 */
function isBuiltInVersion(version: string): boolean {
  const [, ...metadata] = version.split('+')
  return metadata.join('+').split('.').includes('builtin')
}

const versionForm = /^v?(\d[\d.]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

/**
 * Returns a version in its canonical form: `v1.0.0` for `1.0`. An empty version stays empty.
 * @throws Refusal `invalid` for a malformed version
 */
export function canonicalVersion(version: string): string {
  if (version === '') return ''
  const [, numbers = '', suffix = '', build = ''] = versionForm.exec(version) ?? []
  if (numbers.split('.').includes(''))
    throw refuse('plugin-version-invalid', { quoted: quoteGo(version), version })
  const [major = '0', minor = '0', patch = '0', ...more] = numbers.split('.').map(Number)
  return `v${[major, minor, patch, ...more].join('.')}${suffix}${build}`
}
