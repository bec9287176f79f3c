import { quoteGo } from '../../../state/go/text.ts'
import { bool, constant, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { databasePluginNames } from '../../../state/secrets/database/plugins.ts'
import { mountOf } from '../../../state/secrets/mounts/mounts.ts'
import { mountableTypes, mountType } from '../../../state/secrets/mounts/types.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { operationsOf } from '../operation.ts'
import { pluginVersion } from './mount-entry.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

const nodeSpec = 'behaviour/secrets#operations-of-the-node'

const texts = list(text)

/** Kinds of plug-ins in the order of replies. */
const kinds = ['auth', 'secret', 'database']

/** Returns the plug-ins of a kind; undefined if there is no such kind. */
function pluginsOf(world: World, kind: string): readonly string[] | undefined {
  if (kind === 'auth' || kind === 'secret') return mountableTypes(world, kind)
  return kind === 'database' ? databasePluginNames : undefined
}

/**
 * Operations on the catalogue of plug-ins. All plug-ins are built in, and others cannot be added.
 */
export const pluginOperations = [
  operation.read('readPluginCatalog', 'plugins/catalog', {
    summary: 'Reads which plug-ins there are.',
    reply: enveloped({
      auth: texts,
      secret: texts,
      database: texts,
      detailed: list(
        struct({
          name: text,
          type: text,
          version: text,
          builtin: bool,
          deprecation_status: text,
        }),
      ),
    }),
    run: ({ world }) => ({
      kind: 'envelope',
      renderData: (dialect) => {
        const all = kinds.map((kind) => [kind, namesOf(world, kind, dialect)] as const)
        return { ...Object.fromEntries(all), detailed: all.flatMap(detailsOf(world, dialect)) }
      },
    }),
  }),
  operation.list('listPlugins', 'plugins/catalog/:type', {
    summary: 'Lists the plug-ins of a kind: auth, secret or database.',
    access: 'sudo',
    failures: [405],
    reply: enveloped({ keys: texts }),
    run({ world, params: { type } }) {
      const plugins = pluginsOf(world, type)
      if (plugins === undefined) throw refuse('unsupported-operation')
      if (plugins.length === 0) throw refuse('nothing-here')
      return {
        kind: 'envelope',
        renderData: (dialect) => ({ keys: namesOf(world, type, dialect) }),
      }
    },
  }),
  operation.read('readPlugin', 'plugins/catalog/:type/:name', {
    summary: 'Reads one plug-in.',
    access: 'sudo',
    reply: enveloped({
      name: text,
      args: constant(null),
      builtin: bool,
      command: text,
      sha256: text,
      version: text,
      deprecation_status: text,
    }),
    run({ world, params: { type, name } }) {
      const neutral = mountType(name)
      if (pluginsOf(world, type)?.includes(neutral) !== true) throw refuse('nothing-here')
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
    },
  }),
  operation.write('registerPlugin', 'plugins/catalog/:type/:name', {
    summary: 'Refuses to register a plug-in.',
    access: 'sudo',
    run() {
      throw refuse('catalog-read-only')
    },
  }),
  operation.write('reloadPlugins', 'plugins/reload/backend', {
    spec: nodeSpec,
    summary: 'Reloads the mounts of a plug-in, or some mounts; nothing happens.',
    body: {
      plugin: textField('The plug-in, whose mounts are reloaded'),
      mounts: withDefault(described(texts, 'Paths of mounts'), []),
      scope: textField('Kept without effect'),
    },
    reply: enveloped({ reload_id: text }),
    run({ world, namespace, fields: { plugin, mounts: paths } }) {
      if (plugin !== '' && paths.length > 0) throw refuse('reload-of-both')
      if (plugin === '' && paths.length === 0) throw refuse('reload-of-nothing')
      const isKnown = kinds.some((kind) => pluginsOf(world, kind)?.includes(mountType(plugin)))
      if (plugin !== '' && !isKnown) throw refuse('reload-unknown', { plugin: quoteGo(plugin) })
      for (const path of paths) {
        const at = path.endsWith('/') ? path : `${path}/`
        if (mountOf(world, namespace, at) === undefined) {
          throw refuse('reload-mount-unknown', { path: quoteGo(path) })
        }
      }
      return data({ reload_id: world.ids.uuid() })
    },
  }),
  operation.delete('deletePlugin', 'plugins/catalog/:type/:name', {
    summary: 'Refuses to delete a plug-in.',
    access: 'sudo',
    run() {
      throw refuse('catalog-read-only')
    },
  }),
]

function namesOf(world: World, kind: string, dialect: SecretsDialect): string[] {
  return (pluginsOf(world, kind) ?? []).map((name) => dialect.mountType(name)).sort()
}

/** Returns the details of all plug-ins. */
function detailsOf(world: World, dialect: SecretsDialect) {
  const version = pluginVersion(world, dialect)
  return ([type, names]: readonly [string, readonly string[]]) =>
    names.map((name) => ({ name, type, version, builtin: true, deprecation_status: 'supported' }))
}
