import { bool, constant, list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  authMethodTypes,
  mountType,
  secretsEngineTypes,
} from '../../../state/secrets/mounts/types.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import { pluginVersion } from './mount-entry.ts'

const spec = 'behaviour/secrets#small-endpoints'

const texts = list(text)

/** What can be mounted, by kind of plug-in. */
const catalog: Readonly<Record<string, readonly string[]>> = {
  auth: authMethodTypes,
  secret: secretsEngineTypes,
  database: [],
}

/** The catalogue of plug-ins: everything is built in, and nothing else can be added. */
export const pluginOperations = [
  operation({
    id: 'readPluginCatalog',
    verb: 'read',
    path: 'plugins/catalog',
    summary: 'Reads which plug-ins there are.',
    spec,
    reply: {
      200: envelopeOf(
        struct({
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
      ),
    },
    run: ({ world }) => ({
      kind: 'envelope',
      dataIn: (dialect) => {
        const kinds = Object.keys(catalog).map((kind) => [kind, namesOf(kind, dialect)] as const)
        return { ...Object.fromEntries(kinds), detailed: kinds.flatMap(detailsOf(world)) }
      },
    }),
  }),
  operation({
    id: 'listPlugins',
    verb: 'list',
    path: 'plugins/catalog/:type',
    summary: 'Lists the plug-ins of a kind: auth, secret or database.',
    spec,
    failures: [405],
    reply: {
      200: envelopeOf(struct({ keys: texts })),
    },
    run({ params: { type } }) {
      if (!Object.hasOwn(catalog, type)) throw refuse('unsupported-operation')
      if (catalog[type]?.length === 0) throw refuse('nothing-here')
      return { kind: 'envelope', dataIn: (dialect) => ({ keys: namesOf(type, dialect) }) }
    },
  }),
  operation({
    id: 'readPlugin',
    verb: 'read',
    path: 'plugins/catalog/:type/:name',
    summary: 'Reads one plug-in.',
    spec,
    reply: {
      200: envelopeOf(
        struct({
          name: text,
          args: constant(null),
          builtin: bool,
          command: text,
          sha256: text,
          version: text,
          deprecation_status: text,
        }),
      ),
    },
    run({ world, params: { type, name } }) {
      const known = Object.hasOwn(catalog, type) ? (catalog[type] ?? []) : []
      const neutral = mountType(name)
      if (!known.includes(neutral)) throw refuse('nothing-here')
      return {
        kind: 'envelope',
        dataIn: (dialect) => ({
          name: dialect.mountType(neutral),
          args: null,
          builtin: true,
          command: '',
          sha256: '',
          version: pluginVersion(world),
          deprecation_status: 'supported',
        }),
      }
    },
  }),
  operation({
    id: 'registerPlugin',
    verb: 'write',
    path: 'plugins/catalog/:type/:name',
    summary: 'Refuses to register a plug-in.',
    spec,
    reply: { 204: null },
    run() {
      throw refuse('catalog-read-only')
    },
  }),
  operation({
    id: 'deletePlugin',
    verb: 'delete',
    path: 'plugins/catalog/:type/:name',
    summary: 'Refuses to delete a plug-in.',
    spec,
    reply: { 204: null },
    run() {
      throw refuse('catalog-read-only')
    },
  }),
]

function namesOf(kind: string, dialect: SecretsDialect): string[] {
  return (catalog[kind] ?? []).map((name) => dialect.mountType(name)).sort()
}

/** Tells of each plug-in of a kind. */
function detailsOf(world: World) {
  const version = pluginVersion(world)
  return ([type, names]: readonly [string, readonly string[]]) =>
    names.map((name) => ({ name, type, version, builtin: true, deprecation_status: 'supported' }))
}
