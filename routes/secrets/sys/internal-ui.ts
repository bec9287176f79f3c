import { quoteGo } from '../../../state/go/text.ts'
import {
  any,
  bool,
  constant,
  int,
  list,
  map,
  nullable,
  text,
  union,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { mountPath } from '../../../state/secrets/mounts/changes.ts'
import {
  authPrefix,
  isAuthMount,
  type Mount,
  mountOf,
  mountsIn,
} from '../../../state/secrets/mounts/mounts.ts'
import {
  type Namespace,
  namespacesBelow,
  resolveNamespace,
} from '../../../state/secrets/namespaces/namespaces.ts'
import { hasAnyCapabilityUnder } from '../../../state/secrets/policies/acl.ts'
import { resultantAcl } from '../../../state/secrets/policies/resultant.ts'
import { isTokenValidIn, type Token } from '../../../state/secrets/tokens/rows.ts'
import { requireUsableToken } from '../../../state/secrets/tokens/tokens.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { bareOutcome, dataOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { flag } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'
import { mountEntry, mountSchema, mountTable } from './mount-entry.ts'

const mountOperation = operationsOf({ spec: 'behaviour/secrets#preflight', access: 'anyone' })

/** Schema of a mount in replies to callers without a token. */
const publicMountSchema = struct({ type: text, description: text, options: nullable(map(any)) })

const { fields: path } = struct({ path: text })

const tableSchema = map(union(mountSchema, publicMountSchema))

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

const textList = list(text)

const parameters = map(list(any))

const rightsByPath = map(
  struct({
    capabilities: textList,
    allowed_parameters: optional(parameters),
    denied_parameters: optional(parameters),
    required_parameters: optional(textList),
    min_wrapping_ttl: optional(described(int, 'Seconds')),
    max_wrapping_ttl: optional(described(int, 'Seconds')),
  }),
)

const documentOperation = operationsOf({
  spec: 'Extension: the whole document, where the reference server has it',
  access: 'token',
})

const documentFields = {
  generic_mount_paths: flag('Whether mount paths become path parameters, for code generators'),
} as const

const documentReply = {
  200: described(
    withOthers(
      struct({
        openapi: text,
        info: map(any),
        paths: map(any),
        components: map(any),
      }),
      any,
    ),
    'An OpenAPI 3.0 document',
  ),
} as const

/**
 * Operations with which user interfaces and the command-line client find out what the caller may
 * use.
 */
export const internalUiOperations: readonly SecretsOperation[] = [
  mountOperation.read('listUiMounts', 'internal/ui/mounts', {
    summary:
      'List the mounts that the caller can use; without a token those that are shown to all.',
    failures: [403],
    reply: enveloped({ secret: tableSchema, auth: tableSchema }),
    run(call) {
      const { world, namespace } = call
      const token = optionalToken(call)
      const visibleMounts = mountsIn(world, namespace).filter(
        (mount) => isPubliclyListed(mount) || isReachable(world, namespace, token, mount),
      )
      const engines = visibleMounts.filter((mount) => !isAuthMount(mount))
      const methods = visibleMounts.filter(isAuthMount)
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
  mountOperation.read('readUiMount', 'internal/ui/mounts/*path', {
    summary: 'Read which mount a path belongs to.',
    failures: [403],
    reply: { 200: envelopeOf({ ...mountSchema, fields: { ...mountSchema.fields, ...path } }) },
    run(call) {
      const { world } = call
      const token = optionalToken(call)
      if (token === undefined) throw refuse('token-refused')
      const requestedPath = mountPath(call.params.path)
      const { namespace, path } = resolveNamespace(world, call.namespace.path, requestedPath)
      const mount = mountOf(world, namespace, path)
      if (mount === undefined || !isReachable(world, namespace, token, mount)) {
        // Missing and inaccessible mounts get the same reply, so that the reply does not reveal
        // what is mounted.
        throw refuse('preflight-denied', { at: quoteGo(requestedPath) })
      }
      const below = namespace.path.slice(call.namespace.path.length)
      return {
        kind: 'envelope',
        renderData: (dialect) => ({
          ...mountEntry(world, mount, dialect),
          path: below + (isAuthMount(mount) ? mount.path.slice(authPrefix.length) : mount.path),
        }),
      }
    },
  }),
  operation.read('listUiNamespaces', 'internal/ui/namespaces', {
    summary: 'List the namespaces below that the caller can use.',
    access: 'anyone',
    failures: [403, 500],
    reply: { 200: keysEnvelope },
    run(call) {
      const { world, namespace } = call
      const token = optionalToken(call)
      if (token === undefined) throw refuse('client-token-empty')
      const names = namespacesBelow(world, namespace)
        .filter(({ path }) => hasAnyCapabilityUnder(world, token, path))
        .map(({ path }) => path.slice(namespace.path.length))
      return dataOutcome({ keys: names.length === 0 ? [''] : names })
    },
  }),
  operation.read('readResultantAcl', 'internal/ui/resultant-acl', {
    summary: 'Read the combined access that the policies of the caller grant.',
    reply: enveloped({
      root: bool,
      exact_paths: optional(rightsByPath),
      glob_paths: optional(rightsByPath),
    }),
    run: (call) => dataOutcome(resultantAcl(call.world, requireCaller(call))),
  }),
  operation.read('readFeatureFlags', 'internal/ui/feature-flags', {
    summary: 'List the experimental features in use: none.',
    unenveloped: true,
    access: 'anyone',
    reply: { 200: struct({ feature_flags: constant(null) }) },
    run: () => bareOutcome({ feature_flags: null }),
  }),
  documentOperation.read('readOpenApi', 'internal/specs/openapi', {
    summary: 'Read the OpenAPI document of every mount that the caller can use.',
    query: documentFields,
    reply: documentReply,
    run: document,
  }),
  documentOperation.write('readOpenApiByBody', 'internal/specs/openapi', {
    summary: 'Read the OpenAPI document of every mount, with the parameters in the request body.',
    body: documentFields,
    reply: documentReply,
    run: document,
  }),
]

/**
 * Returns the client token; undefined if the request has none. Refuses a token that is invalid in
 * general or in the namespace of the request.
 */
function optionalToken({ world, namespace, request }: Call<unknown>): Token | undefined {
  if (request.clientToken === '') return undefined
  const token = requireUsableToken(world, request.clientToken)
  if (!isTokenValidIn(namespace, token)) throw refuse('token-refused')
  return token
}

function isPubliclyListed({ config }: Mount): boolean {
  return config.listing_visibility === 'unauth'
}

/** Returns whether a token has any capability at or below a mount. */
function isReachable(world: World, namespace: Namespace, token: Token | undefined, mount: Mount) {
  return token !== undefined && hasAnyCapabilityUnder(world, token, namespace.path + mount.path)
}

/** Returns an object with the mounts by path, in the form that callers without a token receive. */
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

type DocumentCall = Call<object, { readonly generic_mount_paths: boolean }>

function document(call: DocumentCall): SecretsOutcome {
  return bareOutcome(
    call.process.documentation.openApiDocument(call, call.fields.generic_mount_paths),
  )
}
