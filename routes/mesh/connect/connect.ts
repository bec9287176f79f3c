import { any, bool, list, map, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { exportedServices } from '../../../state/mesh/config/exported-services.ts'
import {
  decideIntention,
  destinationOf,
  type Intention,
  sourceOf,
} from '../../../state/mesh/intentions/intentions.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { namespaceOf, requireRight, requires } from '../access.ts'
import { decodeAgentBody } from '../agent/bodies.ts'
import { cacheHeaders } from '../cache-headers.ts'
import { tenancyOf, withoutEmpty } from '../catalog/records.ts'
import { operationsOf, readWithoutIndex } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#connect' })

const authorizeBody = partial(
  struct('ConnectAuthorizeRequest', {
    Target: text,
    Namespace: text,
    Partition: text,
    ClientCertURI: text,
    ClientCertSerial: text,
  }),
)

const configurationReply = struct({
  Provider: text,
  Config: map(any),
  State: nullable(map(text)),
  ForceWithoutCrossSigning: bool,
  CreateIndex: uint,
  ModifyIndex: uint,
})

const exportedServiceReply = struct({
  Service: text,
  Partition: optional(text),
  Namespace: optional(text),
  Consumers: struct({ Peers: optional(list(text)), Partitions: optional(list(text)) }),
})

/** Configuration of the builtin certificate authority, as shown in replies. */
const configuration = {
  Provider: 'consul',
  Config: { IntermediateCertTTL: '8760h', LeafCertTTL: '72h', RootCertTTL: '87600h' },
  State: null,
  ForceWithoutCrossSigning: false,
} as const

const identityPattern = /^spiffe:\/\/[^/]*(\/.*)$/
const servicePattern = /^(?:\/ap\/[^/]+)?\/ns\/([^/]+)\/dc\/[^/]+\/svc\/([^/]+)$/
const otherIdentityPatterns = [
  /^(?:\/ap\/[^/]+)?\/agent\/client\/dc\/[^/]+\/id\/[^/]+$/,
  /^\/agent\/server\/dc\/[^/]+$/,
  /^(?:\/ap\/[^/]+)?\/gateway\/mesh\/dc\/[^/]+$/,
  /^\/?$/,
]

/** Parses the SPIFFE URI of a service. Throws a refusal for other URIs. */
function parseServiceUri(uri: string) {
  const [, path] = identityPattern.exec(uri) ?? []
  if (path === undefined) throw refuse('authorize-no-identity')
  const [, namespace, name] = servicePattern.exec(path) ?? []
  if (namespace !== undefined && name !== undefined) {
    return { namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) }
  }
  const isOther = otherIdentityPatterns.some((pattern) => pattern.test(path))
  throw refuse(isOther ? 'authorize-no-service' : 'authorize-no-identity')
}

/** Formats the reason that the reply gives if an intention decided the authorization. */
function formatReason(intention: Intention): string {
  const { source } = intention
  const [from, to] = [sourceOf(intention), destinationOf(intention)]
  const permissions = source.Permissions?.length ?? 0
  const [layer, detail] =
    permissions > 0
      ? ['L7', `Permissions: ${permissions}`]
      : ['L4', `Action: ${String(source.Action).toUpperCase()}`]
  const id = source.LegacyID ? `ID: ${source.LegacyID}, ` : ''
  const ends = `${from.namespace}/${from.name} => ${to.namespace}/${to.name}`
  return `Matched ${layer} intention: ${ends} (${id}Precedence: ${source.Precedence}, ${detail})`
}

const unimplementedAnswer = { status: 501, body: 'not implemented by this server' } as const

export const connectOperations = [
  operation.post('authorizeConnection', '/agent/connect/authorize', {
    access: insideOperation(requires('service:write')),
    summary: 'Decide whether the owner of a certificate may connect to a service.',
    body: authorizeBody,
    reply: { 200: storedSchema(struct({ Authorized: bool, Reason: text })) },
    run: ({ context }) => {
      const { world } = context
      const sent = decodeAgentBody(context, authorizeBody)
      const { Target: name = '', Namespace, ClientCertURI = '' } = sent
      if (name === '') throw refuse('authorize-targetless')
      const source = parseServiceUri(ClientCertURI)
      const namespace = Namespace || namespaceOf(context)
      requireRight(context, 'service:write', { namespace, name })
      const { isAllowed, intention } = decideIntention(world, source, { namespace, name })
      const Reason =
        intention === undefined ? 'Default behavior configured by ACLs' : formatReason(intention)
      const headers = cacheHeaders(
        { world, params: { namespace, name }, query: context.query },
        '/agent/connect/authorize',
        'always',
      )
      return { status: 200 as const, headers, body: { Authorized: isAllowed, Reason } }
    },
  }),
  operation.get('readConnectCaConfiguration', '/connect/ca/configuration', {
    access: requires('operator:write'),
    tenancy: 'none',
    summary: 'Read the configuration of the certificate authority of the mesh.',
    reply: { 200: storedSchema(configurationReply) },
    run: ({ context }) => {
      return readWithoutIndex(context, () => ({ ...configuration, CreateIndex: 5, ModifyIndex: 5 }))
    },
  }),
  operation.put('setConnectCaConfiguration', '/connect/ca/configuration', {
    access: insideOperation(requires('operator:write')),
    tenancy: 'none',
    summary: 'Replace the configuration of the certificate authority: not implemented.',
    reply: { 501: text },
    run: ({ context }) => {
      requireRight(context, 'operator:write')
      return unimplementedAnswer
    },
  }),
  operation.get('readConnectLeaf', '/agent/connect/ca/leaf/:service', {
    access: insideOperation(requires('service:write')),
    summary: 'Issue a certificate for a service: not implemented.',
    reply: { 501: text },
    run: ({ context, params }) => {
      requireRight(context, 'service:write', {
        namespace: namespaceOf(context),
        name: params.service,
      })
      return unimplementedAnswer
    },
  }),
  operation.get('listExportedServices', '/exported-services', {
    access: requires('mesh:read'),
    tenancy: 'partition',
    summary: 'List the services that are exported to other clusters; can block.',
    reply: { 200: storedSchema(list(exportedServiceReply)) },
    run: ({ context }) =>
      context.read(() => {
        const { world, dialect } = context
        const { index, services } = exportedServices(world, dialect.product)
        const body = services.map(({ namespace, name, peers, partitions }) => ({
          Service: name,
          ...tenancyOf(world, dialect)(namespace),
          Consumers: withoutEmpty({ Peers: peers, Partitions: partitions }),
        }))
        return { index, body }
      }),
  }),
]
