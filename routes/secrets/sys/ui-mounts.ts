import { quoteGo } from '../../../state/go/text.ts'
import { any, map, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { mountPath } from '../../../state/secrets/mounts/changes.ts'
import {
  authPrefix,
  isAuthMount,
  type Mount,
  mountOf,
  mountsIn,
} from '../../../state/secrets/mounts/mounts.ts'
import { type Namespace, resolveNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { hasAnyCapabilityUnder } from '../../../state/secrets/policies/acl.ts'
import { isTokenValidIn, type Token } from '../../../state/secrets/tokens/rows.ts'
import { requireUsableToken } from '../../../state/secrets/tokens/tokens.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { enveloped, envelopeOf } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import { type Call, operationsOf } from '../operation.ts'
import { mountEntry, mountSchema, mountTable } from './mount-entry.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#preflight', access: 'anyone' })

/** Schema of a mount for callers without a token. */
const publicMountSchema = struct({ type: text, description: text, options: nullable(map(any)) })

const { fields: path } = struct({ path: text })

const tableSchema = map(union(mountSchema, publicMountSchema))

/**
 * Operations that the command-line client calls before it reads or writes a secret, to find the
 * engine at a path. A token with any capability there may call them; a call does not use the token
 * up.
 */
export const uiMountOperations = [
  operation.read({
    id: 'listUiMounts',
    path: 'internal/ui/mounts',
    summary:
      'List the mounts that the caller can use; without a token those that are shown to all.',
    failures: [403],
    reply: enveloped({ secret: tableSchema, auth: tableSchema }),
    run(call) {
      const { world, namespace } = call
      const token = optionalToken(call)
      const seen = mountsIn(world, namespace).filter(
        (mount) => isPubliclyListed(mount) || isReachable(world, namespace, token, mount),
      )
      const engines = seen.filter((mount) => !isAuthMount(mount))
      const methods = seen.filter(isAuthMount)
      const renderTable = token === undefined ? publicMountTable : mountTable
      const pathOf = (mount: Mount) => mount.path.slice(authPrefix.length)
      return {
        kind: 'envelope',
        renderData: (dialect) => ({
          auth: renderTable(world, methods, pathOf, dialect),
          secret: renderTable(world, engines, (mount) => mount.path, dialect),
        }),
      }
    },
  }),
  operation.read({
    id: 'readUiMount',
    path: 'internal/ui/mounts/*path',
    summary: 'Read which mount a path belongs to.',
    failures: [403],
    reply: { 200: envelopeOf({ ...mountSchema, fields: { ...mountSchema.fields, ...path } }) },
    run(call) {
      const { world } = call
      const token = optionalToken(call)
      if (token === undefined) throw refuse('token-refused')
      const at = mountPath(call.params.path)
      const { namespace, path } = resolveNamespace(world, call.namespace.path, at)
      const mount = mountOf(world, namespace, path)
      if (mount === undefined || !isReachable(world, namespace, token, mount)) {
        // Missing and inaccessible mounts get the same reply, which does not reveal what is
        // mounted.
        throw refuse('preflight-denied', { at: quoteGo(at) })
      }
      const below = namespace.path.slice(call.namespace.path.length)
      return {
        kind: 'envelope',
        renderData: (dialect) => ({
          ...mountEntry(world, mount, dialect),
          path: below + mount.path,
        }),
      }
    },
  }),
]

/** Returns the client token, if there is one; refuses an invalid one. */
export function optionalToken({ world, namespace, request }: Call<unknown>): Token | undefined {
  if (request.clientToken === '') return undefined
  const token = requireUsableToken(world, request.clientToken)
  if (!isTokenValidIn(namespace, token)) throw refuse('token-refused')
  return token
}

function isPubliclyListed({ config }: Mount): boolean {
  return config.listing_visibility === 'unauth'
}

/** Returns whether a token has any capability at or below a mount. */
function isReachable(
  world: World,
  namespace: Namespace,
  token: Token | undefined,
  mount: Mount,
): boolean {
  return token !== undefined && hasAnyCapabilityUnder(world, token, namespace.path + mount.path)
}

/** Returns mounts by path in the form for callers without a token. */
function publicMountTable(
  _world: World,
  mounts: readonly Mount[],
  pathOf: (mount: Mount) => string,
  dialect: SecretsDialect,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    mounts.map((mount) => {
      const { type, description, options } = mount
      return [pathOf(mount), { type: dialect.mountType(type), description, options }]
    }),
  )
}
