import type { World } from '../../../state/kernel/worlds/world.ts'
import { optionsOf, versionOf } from '../../../state/mesh/options.ts'
import { serfHealth, serverAddress, serverOf, serverPort } from '../../../state/mesh/server.ts'
import type { MeshDialect } from '../dialect.ts'

/** Returns the indexes of the server's records in catalog and health (behaviour/mesh#catalog). */
function indexFields(world: World) {
  const { index } = serverOf(world)
  return { CreateIndex: index, ModifyIndex: index }
}

/** Returns the server's node. */
export function nodeRecord(world: World, { product }: MeshDialect) {
  const { datacenter, nodeName } = optionsOf(world)
  const version = versionOf(world)
  return {
    ID: serverOf(world).node_id,
    Node: nodeName,
    Address: serverAddress,
    Datacenter: datacenter,
    TaggedAddresses: {
      lan: serverAddress,
      lan_ipv4: serverAddress,
      wan: serverAddress,
      wan_ipv4: serverAddress,
    },
    Meta: { [`${product}-network-segment`]: '', [`${product}-version`]: version },
    ...indexFields(world),
  }
}

const weights = { Passing: 1, Warning: 1 }
const proxy = { Mode: '', MeshGateway: {}, Expose: {} }

function serviceMeta(world: World) {
  const [version = ''] = versionOf(world).split(/[+-]/)
  return {
    non_voter: 'false',
    raft_version: '3',
    read_replica: 'false',
    serf_protocol_current: '2',
    serf_protocol_max: '5',
    serf_protocol_min: '1',
    version,
  }
}

/** Returns the server's service. */
export function serviceRecord(world: World, { product }: MeshDialect) {
  return {
    ID: product,
    Service: product,
    Tags: [],
    Address: '',
    Meta: serviceMeta(world),
    Port: serverPort,
    Weights: weights,
    EnableTagOverride: false,
    Proxy: proxy,
    Connect: {},
    PeerName: '',
    ...indexFields(world),
  }
}

/** Returns the service together with its node, as the catalog lists a service. */
export function catalogRecord(world: World, dialect: MeshDialect) {
  const { Meta, CreateIndex, ModifyIndex, ...node } = nodeRecord(world, dialect)
  return {
    ...node,
    NodeMeta: Meta,
    ServiceKind: '',
    ServiceID: dialect.product,
    ServiceName: dialect.product,
    ServiceTags: [],
    ServiceAddress: '',
    ServiceWeights: weights,
    ServiceMeta: serviceMeta(world),
    ServicePort: serverPort,
    ServiceSocketPath: '',
    ServiceEnableTagOverride: false,
    ServiceProxy: proxy,
    ServiceConnect: {},
    ServiceLocality: null,
    CreateIndex,
    ModifyIndex,
  }
}

/** Returns the health check of the server's node. */
export function checkRecord(world: World) {
  return {
    Node: optionsOf(world).nodeName,
    CheckID: serfHealth,
    Name: 'Serf Health Status',
    Status: 'passing',
    Notes: '',
    Output: 'Agent alive and reachable',
    ServiceID: '',
    ServiceName: '',
    ServiceTags: [],
    Type: '',
    Interval: '',
    Timeout: '',
    ExposedPort: 0,
    Definition: {},
    ...indexFields(world),
  }
}
