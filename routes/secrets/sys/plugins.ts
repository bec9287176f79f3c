import { quoteGo } from '../../../state/go/text.ts'
import { bool, list, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { databasePluginNames } from '../../../state/secrets/database/plugins.ts'
import { refuse } from '../../../state/secrets/messages.ts'
import { mountableTypes, mountType } from '../../../state/secrets/mounts/types.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import {
  canonicalVersion,
  checkedPlugin,
  deletableVersion,
  deletePlugin,
  findPlugin,
  type PluginKind,
  pluginKinds,
  putPlugin,
  registeredPlugins,
} from '../../../state/secrets/plugins.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import {
  dataOutcome,
  emptyOutcome,
  outcomeWithWarning,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { enveloped, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import type { FieldValues } from '../fields/fields.ts'
import { message, refuse as routeRefusal } from '../messages.ts'
import { type Call, operationsOf } from '../operation.ts'
import { pluginVersion } from './mount-entry.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

const pluginOperation = operationsOf({ spec: 'behaviour/secrets#plugins', access: 'sudo' })

const textList = list(text)

/** Returns the names of the plug-ins of a kind; undefined for an unknown kind. */
export function pluginsOf(world: World, kind: string): readonly string[] | undefined {
  if (kind === 'auth' || kind === 'secret') return mountableTypes(world, kind)
  if (kind !== 'database') return undefined
  const registered = registeredPlugins(world, 'database').map(({ name }) => name)
  return [...new Set([...databasePluginNames, ...registered])]
}

const registrationFields = {
  sha256: textField('SHA-256 of the program in hexadecimal'),
  sha_256: textField('Old name of sha256'),
  command: textField('Program in the plug-in directory'),
  args: withDefault(described(textList, 'Arguments of the program'), []),
  env: withDefault(described(textList, 'Environment variables of the program; not stored'), []),
  version: textField('Semantic version'),
}

/**
 * Registers a plug-in. Throws a refusal for invalid fields, and `plugin-directory-missing` if the
 * world has no directory of plug-ins.
 */
function register(
  { world, fields }: Call<unknown, FieldValues<typeof registrationFields>>,
  { kind, name }: NamedPlugin,
): void {
  const type = kind ?? kindOfName(name)
  const { sha256, sha_256, command, args, version } = fields
  const plugin = checkedPlugin({ type, name, command, args, version, sha256: sha256 || sha_256 })
  if (optionsOf(world).pluginDirectory === '') throw refuse('plugin-directory-missing')
  putPlugin(world, plugin)
}

/** Derives the kind of a plug-in from its name. Used if its registration contains no kind. */
function kindOfName(name: string): PluginKind {
  if (name.endsWith('-database-plugin')) return 'database'
  return name.includes('-auth-') ? 'auth' : 'secret'
}

/** The plug-in that the path of a request names. `kind` is undefined if the path names none. */
interface NamedPlugin {
  readonly kind: PluginKind | undefined
  readonly name: string
}

/**
 * Returns the plug-in that a path `:type/:name` names. As in the reference, a first segment that is
 * not a kind belongs to the name.
 */
function typedPlugin({ type, name }: Readonly<Record<'type' | 'name', string>>): NamedPlugin {
  const kind = kindNamed(type)
  return { kind, name: kind === undefined ? `${type}/${name}` : name }
}

/**
 * Returns the plug-in that a path with one segment names. Throws a refusal if the segment is a kind
 * instead of a name, because a kind can only be listed.
 */
function untypedPlugin({ type }: Readonly<Record<'type', string>>): NamedPlugin {
  if (kindNamed(type) !== undefined) throw routeRefusal('unsupported-operation')
  return { kind: undefined, name: type }
}

function kindNamed(word: string): PluginKind | undefined {
  return pluginKinds.find((each) => each === word)
}

/**
 * Reads a plug-in. If the request names no kind, the reply is a warning, as in the reference.
 * Throws an `absent` refusal for an unknown plug-in, and an `invalid` refusal for a malformed
 * version.
 */
function read(world: World, { kind, name }: NamedPlugin, version: string): SecretsOutcome {
  if (kind === undefined) {
    return outcomeWithWarning(message('plugin-read-untyped', { name: quoteGo(name) }))
  }
  const registered = findPlugin(world, kind, name, canonicalVersion(version))
  if (registered !== undefined) {
    const { type: _, ...plugin } = registered
    return dataOutcome({ ...plugin, builtin: false })
  }
  const neutral = mountType(name)
  if (!isBuiltIn(world, kind, neutral)) throw routeRefusal('nothing-here')
  return {
    kind: 'envelope',
    renderData: (dialect) => ({
      name: dialect.mountType(neutral),
      args: null,
      builtin: true,
      command: '',
      sha256: '',
      version: pluginVersion(world, dialect),
      deprecation_status: 'supported',
    }),
  }
}

/**
 * Deletes a registered plug-in. If the request names no kind, nothing is deleted and the reply is a
 * warning, as in the reference. Throws a refusal for a malformed version, and for a version that
 * only built-in plug-ins can have.
 */
function remove(world: World, { kind, name }: NamedPlugin, requested: string): SecretsOutcome {
  const version = deletableVersion(requested)
  if (kind === undefined) {
    return outcomeWithWarning(message('plugin-deletion-untyped', { name: quoteGo(name) }))
  }
  deletePlugin(world, kind, name, version)
  return emptyOutcome
}

const versionField = { version: textField('Semantic version of the plug-in; empty if it has none') }

/** Operations on the catalogue of plug-ins. Registered plug-ins are listed, but never run. */
export const pluginOperations = [
  operation.read('readPluginCatalog', 'plugins/catalog', {
    summary: 'List all plug-ins.',
    reply: enveloped({
      auth: textList,
      secret: textList,
      database: textList,
      detailed: list(
        struct({
          name: text,
          type: text,
          version: text,
          builtin: bool,
          sha256: optional(described(text, 'Only for registered plug-ins')),
          deprecation_status: optional(described(text, 'Only for built-in plug-ins')),
        }),
      ),
    }),
    run: ({ world }) => ({
      kind: 'envelope',
      renderData: (dialect) => {
        const all = pluginKinds.map((kind) => [kind, namesOf(world, kind, dialect)] as const)
        return { ...Object.fromEntries(all), detailed: all.flatMap(detailsOf(world, dialect)) }
      },
    }),
  }),
  pluginOperation.list('listPlugins', 'plugins/catalog/:type', {
    summary: 'List the plug-ins of a kind: auth, secret or database.',
    failures: [405],
    reply: enveloped({ keys: textList }),
    run({ world, params: { type } }) {
      const plugins = pluginsOf(world, type)
      if (plugins === undefined) throw routeRefusal('unsupported-operation')
      if (plugins.length === 0) throw routeRefusal('nothing-here')
      return {
        kind: 'envelope',
        renderData: (dialect) => ({ keys: namesOf(world, type, dialect) }),
      }
    },
  }),
  pluginOperation.read('readPlugin', 'plugins/catalog/:type/:name', {
    summary: 'Read one plug-in.',
    query: versionField,
    reply: {
      200: union(
        structEnvelope({
          name: text,
          args: nullable(textList),
          builtin: bool,
          command: text,
          sha256: text,
          version: text,
          deprecation_status: optional(text),
        }),
        warningEnvelope,
      ),
    },
    run: ({ world, params, fields }) => read(world, typedPlugin(params), fields.version),
  }),
  pluginOperation.read('readUntypedPlugin', 'plugins/catalog/:type', {
    summary: 'Old form of reading a plug-in; replies with a warning only.',
    query: versionField,
    failures: [405],
    reply: { 200: warningEnvelope },
    run: ({ world, params, fields }) => read(world, untypedPlugin(params), fields.version),
  }),
  pluginOperation.write('registerUntypedPlugin', 'plugins/catalog/:type', {
    summary:
      'Old form of registering a plug-in: its kind follows from its name; the default is an engine.',
    body: registrationFields,
    secrets: { body: ['env'] },
    failures: [405, 500],
    apply: (call) => register(call, untypedPlugin(call.params)),
  }),
  pluginOperation.write('registerPlugin', 'plugins/catalog/:type/:name', {
    summary: 'Register a plug-in, which is never run.',
    body: registrationFields,
    secrets: { body: ['env'] },
    failures: [500],
    apply: (call) => register(call, typedPlugin(call.params)),
  }),
  pluginOperation.delete('deletePlugin', 'plugins/catalog/:type/:name', {
    summary: 'Delete a registered plug-in; built-in ones stay.',
    body: versionField,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, params, fields }) => remove(world, typedPlugin(params), fields.version),
  }),
  pluginOperation.delete('deleteUntypedPlugin', 'plugins/catalog/:type', {
    summary: 'Old form of deleting a plug-in; replies with a warning only.',
    body: versionField,
    failures: [405],
    reply: { 200: warningEnvelope },
    run: ({ world, params, fields }) => remove(world, untypedPlugin(params), fields.version),
  }),
]

function namesOf(world: World, kind: string, dialect: SecretsDialect): string[] {
  return (pluginsOf(world, kind) ?? []).map((name) => dialect.mountType(name)).sort()
}

/** Returns whether a plug-in is part of the program. */
function isBuiltIn(world: World, kind: string, name: string): boolean {
  if (kind === 'database') return databasePluginNames.includes(name)
  if (kind !== 'auth' && kind !== 'secret') return false
  const isRegistered = registeredPlugins(world, kind).some((each) => each.name === name)
  return mountableTypes(world, kind).includes(name) && !isRegistered
}

/**
 * Returns a function that describes all plug-ins of a kind: first the built-in ones, then the
 * registered ones.
 */
function detailsOf(world: World, dialect: SecretsDialect) {
  const version = pluginVersion(world, dialect)
  return ([type, names]: readonly [PluginKind, readonly string[]]) => [
    ...names
      .filter((name) => isBuiltIn(world, type, mountType(name)))
      .map((name) => ({ name, type, version, builtin: true, deprecation_status: 'supported' })),
    ...registeredPlugins(world, type).map(({ name, version, sha256 }) => ({
      name,
      type,
      version,
      builtin: false,
      sha256,
    })),
  ]
}
