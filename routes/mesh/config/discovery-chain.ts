import { createHash } from 'node:crypto'
import { any, duration, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { compileChain } from '../../../state/mesh/config/chain-compiler.ts'
import type { ChainOverrides } from '../../../state/mesh/config/chain-types.ts'
import { configEntry, entriesIndex, entryFinder } from '../../../state/mesh/config/entries.ts'
import { decodeWeakly } from '../../../state/mesh/config/weak-decoder.ts'
import { trustDomainOf } from '../../../state/mesh/connect/trust-domain.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires } from '../access.ts'
import { readNamespaceOf } from '../catalog/selection.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { parseObject } from './body.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#discovery-chain' })

const access = insideOperation(requires('service:read'))

const chainParameters = parameters({
  'compile-dc': described(text, 'The datacenter for which the chain is compiled'),
})

const chainReply = { 200: storedSchema(struct({ Chain: any })) }

const overridesShape = struct({
  OverrideMeshGateway: struct({ Mode: optional(text) }),
  OverrideProtocol: text,
  OverrideConnectTimeout: duration,
})

/**
 * Parses the overrides in a body. Ignores unknown members, and throws a refusal for invalid values.
 */
function parseOverrides(context: MeshContext): ChainOverrides {
  const { value, problems } = decodeWeakly(parseObject(context), overridesShape, true)
  if (problems.length > 0) {
    const lines = [...problems].sort().map((problem) => `* ${problem}`)
    const problem = `${problems.length} error(s) decoding:\n\n${lines.join('\n')}`
    throw refuse('entry-body-unreadable', { problem })
  }
  const mode = String(Object(value['OverrideMeshGateway'])['Mode'] ?? '')
  if (!['', 'none', 'local', 'remote'].includes(mode)) throw refuse('chain-gateway-mode')
  return {
    protocol: String(value['OverrideProtocol']),
    connectTimeout: Number(value['OverrideConnectTimeout']),
    meshGatewayMode: mode,
  }
}

/** Returns a hash of the overrides that had an effect; undefined if no override had an effect. */
function customizationHash(overrides: ChainOverrides, changed: ReadonlySet<string>) {
  if (changed.size === 0) return undefined
  const values = Object.entries(overrides).filter(([name]) => changed.has(customizationName(name)))
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 8)
}

const customizationName = (name: string) => (name === 'meshGatewayMode' ? 'meshGateway' : name)

function chainView(
  world: World,
  service: string,
  namespace: string,
  datacenter: string,
  overrides: ChainOverrides,
) {
  const trustDomain = trustDomainOf(world)
  const request = { service, namespace, datacenter, trustDomain, overrides }
  const chain = compileChain(entryFinder(world), request)
  const meta = configEntry(world, 'service-defaults', namespace, service)?.members.Meta
  const hash = customizationHash(overrides, chain.customizedBy)
  const byKey = <T>(map: ReadonlyMap<string, T>) =>
    Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    ServiceName: service,
    Namespace: namespace,
    Partition: 'default',
    Datacenter: datacenter,
    ...(hash !== undefined && { CustomizationHash: hash }),
    ...(chain.isDefault && { Default: true }),
    Protocol: chain.protocol,
    ...(meta !== undefined && { ServiceMeta: meta }),
    StartNode: chain.startNode,
    Nodes: byKey(chain.nodes),
    Targets: byKey(chain.targets),
    AutoVirtualIPs: null,
    ManualVirtualIPs: null,
  }
}

const noOverrides: ChainOverrides = { protocol: '', connectTimeout: 0, meshGatewayMode: '' }

function readChain(context: MeshContext, service: string, hasOverrides: boolean) {
  const { world, query } = context
  context.checkReadParameters()
  if (service === '') throw refuse('chain-unnamed')
  const datacenter = query.value('compile-dc') ?? optionsOf(world).datacenter
  const overrides = hasOverrides ? parseOverrides(context) : noOverrides
  return context.read(
    () => {
      void context.caller
      const namespace = readNamespaceOf(context)
      requireRight(context, 'service:read', { namespace, name: service })
      const Chain = chainView(world, service, namespace, datacenter, overrides)
      return { index: entriesIndex(world), body: { Chain } }
    },
    { showsConsistency: true, hasReadHeadersOnRefusal: true, cache: 'refreshed' },
  )
}

/**
 * Operations that compile a discovery chain: `GET` from the stored entries, and `POST` with
 * overridden values.
 */
export const discoveryChainOperations = [
  operation.get('readDiscoveryChain', '/discovery-chain/:service', {
    access,
    summary: 'Compile the configuration entries about a service; can block.',
    query: chainParameters,
    reply: chainReply,
    run: ({ context, params }) => readChain(context, params.service, false),
  }),
  operation.post('readOverriddenDiscoveryChain', '/discovery-chain/:service', {
    access,
    summary: 'Compile the configuration entries about a service with overridden values; can block.',
    query: chainParameters,
    body: overridesShape,
    reply: chainReply,
    run: ({ context, params }) => readChain(context, params.service, true),
  }),
]
