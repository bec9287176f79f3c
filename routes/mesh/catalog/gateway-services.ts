import { bool, int, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import {
  type GatewayService,
  servicesOfGateway,
} from '../../../state/mesh/config/gateway-services.ts'
import type { ServiceName } from '../../../state/mesh/intentions/intentions.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { requireRight, requires } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { tenancyOf, withoutEmpty } from './records.ts'
import { filterReadable, readCatalog, readNamespaceOf, requirePathName } from './selection.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#catalog' })

const compoundName = struct({
  Name: text,
  Namespace: optional(text),
  Partition: optional(text),
})

const gatewayServiceReply = struct({
  Gateway: compoundName,
  Service: compoundName,
  GatewayKind: text,
  Port: optional(int),
  Protocol: optional(text),
  Hosts: optional(list(text)),
  CAFile: optional(text),
  CertFile: optional(text),
  KeyFile: optional(text),
  SNI: optional(text),
  FromWildcard: optional(bool),
  ServiceKind: optional(text),
  CreateIndex: uint,
  ModifyIndex: uint,
  AutoHostRewrite: optional(bool),
})

function gatewayServiceRecord({ world, dialect }: MeshContext, each: GatewayService) {
  const nameOf = ({ namespace, name }: ServiceName) => ({
    Name: name,
    ...tenancyOf(world, dialect)(namespace),
  })
  return {
    Gateway: nameOf(each.gateway),
    Service: nameOf(each.service),
    GatewayKind: each.gatewayKind,
    ...withoutEmpty({ Port: each.port, Protocol: each.protocol, Hosts: each.hosts, ...each.tls }),
    ...(each.fromWildcard && { FromWildcard: true }),
    ...withoutEmpty({ ServiceKind: each.serviceKind }),
    CreateIndex: each.createIndex,
    ModifyIndex: each.modifyIndex,
    ...(each.autoHostRewrite && { AutoHostRewrite: true }),
  }
}

export const gatewayOperations = [
  operation.get('readGatewayServices', '/catalog/gateway-services/:gateway', {
    access: insideOperation(requires('service:read')),
    summary: 'List the services of an ingress or terminating gateway; can block.',
    reply: { 200: storedSchema(list(gatewayServiceReply)) },
    run({ context, params: { gateway: name } }) {
      requirePathName(context, name, 'gateway-unsaid')
      const { world } = context
      return readCatalog(context, (visibility) => {
        const gateway = { namespace: readNamespaceOf(context), name }
        requireRight(context, 'service:read', gateway)
        const { index, services } = servicesOfGateway(world, gateway)
        const { visible, isFiltered } = filterReadable(services, ({ service }) =>
          visibility.service(service.namespace, service.name),
        )
        return {
          index,
          body: visible.map((each) => gatewayServiceRecord(context, each)),
          isFiltered,
        }
      })
    },
  }),
]
