import { bool, int, list, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { rootCertificateOf } from '../../../state/mesh/connect/root-certificate.ts'
import { clusterIdOf, trustDomainOf } from '../../../state/mesh/connect/trust-domain.ts'
import { serverOf } from '../../../state/mesh/server.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#connect' })

const rootsReply = struct({
  ActiveRootID: text,
  TrustDomain: text,
  Roots: list(
    struct({
      ID: text,
      Name: text,
      SerialNumber: int,
      SigningKeyID: text,
      ExternalTrustDomain: text,
      NotBefore: text,
      NotAfter: text,
      RootCert: text,
      IntermediateCerts: nullable(list(text)),
      Active: bool,
      PrivateKeyType: text,
      PrivateKeyBits: int,
      CreateIndex: uint,
      ModifyIndex: uint,
    }),
  ),
})

const formatSeconds = (instant: number) => `${formatTimestamp(instant).slice(0, 19)}Z`

function rootsOf(world: World) {
  const { id, keyId, notAfter, notBefore, pem, serialNumber } = rootCertificateOf(world)
  const { index } = serverOf(world)
  const root = {
    ID: id,
    Name: 'Consul CA Primary Cert',
    SerialNumber: serialNumber,
    SigningKeyID: keyId,
    ExternalTrustDomain: clusterIdOf(world),
    NotBefore: formatSeconds(notBefore),
    NotAfter: formatSeconds(notAfter),
    RootCert: pem,
    IntermediateCerts: null,
    Active: true,
    PrivateKeyType: 'ec',
    PrivateKeyBits: 256,
    CreateIndex: index,
    ModifyIndex: index,
  }
  return { ActiveRootID: id, TrustDomain: trustDomainOf(world), Roots: [root] }
}

export const rootOperations = [
  operation.get('listConnectRoots', '/connect/ca/roots', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'List the root certificates of the mesh.',
    query: parameters({ pem: described(text, '`true` for only the certificates, in PEM') }),
    reply: { 200: {} },
    run: ({ context }) => {
      const { query, world } = context
      const isPem = ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(query.value('pem') ?? '')
      return context.read(
        () => {
          const { index } = serverOf(world)
          if (!isPem) return { index, body: rootsOf(world) }
          const headers = { 'content-type': 'application/pem-certificate-chain' }
          return { index: 0, body: Buffer.from(rootCertificateOf(world).pem), headers }
        },
        { isPlain: isPem },
      )
    },
  }),
  operation.get('listAgentConnectRoots', '/agent/connect/ca/roots', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'List the root certificates of the mesh, from the agent.',
    reply: { 200: storedSchema(rootsReply) },
    run: ({ context }) =>
      context.read(() => ({ index: serverOf(context.world).index, body: rootsOf(context.world) }), {
        cache: 'always',
      }),
  }),
]
