import { SECOND } from '../../go/duration.ts'
import { any, bool, goList, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { dynamicPorts } from '../cluster/allocations/free-ports.ts'
import { eventBufferSize } from '../events/buffer.ts'
import { optionsOf } from '../options.ts'
import { agentNode, ports, serverAddress, serverDatacenter, serverName } from './server.ts'

/** Configuration of an external service that the cluster uses, such as the service mesh. */
const integrationShape = struct('AgentIntegration', {
  Name: text,
  Enabled: bool,
  Addr: text,
  Token: text,
})

/** The members of the agent's configuration that clients read (behaviour/scheduler#agent). */
export const configurationShape = struct('AgentConfig', {
  Region: text,
  Datacenter: text,
  NodeName: text,
  BindAddr: text,
  DevMode: bool,
  DataDir: text,
  LogLevel: text,
  Ports: struct('AgentPorts', { HTTP: int, RPC: int, Serf: int }),
  AdvertiseAddrs: struct('AgentAddresses', { HTTP: text, RPC: text, Serf: text }),
  ACL: struct('AgentACL', {
    Enabled: bool,
    /** Duration in nanoseconds, like all members whose name ends in `TTL`. */
    TokenTTL: int,
    PolicyTTL: int,
    RoleTTL: int,
    ReplicationToken: text,
    TokenMinExpirationTTL: int,
    TokenMaxExpirationTTL: int,
  }),
  Server: struct('AgentServer', {
    Enabled: bool,
    BootstrapExpect: int,
    JobTrackedVersions: int,
    JobMaxSourceSize: text,
    EventBufferSize: int,
    Search: struct('AgentSearch', {
      FuzzyEnabled: bool,
      LimitQuery: int,
      LimitResults: int,
      MinTermLength: int,
    }),
  }),
  Client: struct('AgentClient', {
    Enabled: bool,
    NodePool: text,
    MinDynamicPort: int,
    MaxDynamicPort: int,
  }),
  Limits: struct('AgentLimits', {
    HTTPSHandshakeTimeout: text,
    HTTPMaxConnsPerClient: int,
    RPCHandshakeTimeout: text,
    RPCMaxConnsPerClient: int,
  }),
  Telemetry: struct('AgentTelemetry', {
    CollectionInterval: text,
    DisableHostname: bool,
    PrometheusMetrics: bool,
    PublishAllocationMetrics: bool,
    PublishNodeMetrics: bool,
    CirconusAPIToken: text,
  }),
  UI: struct('AgentUI', { Enabled: bool }),
  Vaults: goList(integrationShape),
  Consuls: goList(integrationShape),
  Version: struct('AgentVersion', {
    Version: text,
    VersionPrerelease: text,
    VersionMetadata: text,
    Revision: text,
    BuildDate: any,
  }),
})

const thirtySeconds = 30 * SECOND

/**
 * Returns the agent's configuration. Some values come from the agent's node and from the options
 * `region`, `aclEnabled`, `secretsEnabled`, `version` and `eventBufferSize`; the rest are constant.
 */
export function agentConfiguration(world: World): StoredOf<typeof configurationShape> {
  const { region, aclEnabled, secretsEnabled, version } = optionsOf(world)
  const node = agentNode(world)
  const address = (port: number) => `${serverAddress}:${port}`
  return {
    Region: region,
    Datacenter: serverDatacenter,
    NodeName: serverName,
    BindAddr: serverAddress,
    DevMode: true,
    DataDir: '',
    LogLevel: 'INFO',
    Ports: ports,
    AdvertiseAddrs: {
      HTTP: address(ports.HTTP),
      RPC: address(ports.RPC),
      Serf: address(ports.Serf),
    },
    ACL: {
      Enabled: aclEnabled,
      TokenTTL: thirtySeconds,
      PolicyTTL: thirtySeconds,
      RoleTTL: thirtySeconds,
      ReplicationToken: '',
      TokenMinExpirationTTL: 0,
      TokenMaxExpirationTTL: 0,
    },
    Server: {
      Enabled: true,
      BootstrapExpect: 1,
      JobTrackedVersions: 6,
      JobMaxSourceSize: '1M',
      EventBufferSize: eventBufferSize(world),
      Search: { FuzzyEnabled: true, LimitQuery: 20, LimitResults: 100, MinTermLength: 2 },
    },
    Client: {
      Enabled: node !== undefined,
      NodePool: node?.NodePool ?? 'default',
      MinDynamicPort: dynamicPorts.first,
      MaxDynamicPort: dynamicPorts.last,
    },
    Limits: {
      HTTPSHandshakeTimeout: '5s',
      HTTPMaxConnsPerClient: 100,
      RPCHandshakeTimeout: '5s',
      RPCMaxConnsPerClient: 100,
    },
    Telemetry: {
      CollectionInterval: '1s',
      DisableHostname: false,
      PrometheusMetrics: false,
      PublishAllocationMetrics: false,
      PublishNodeMetrics: false,
      CirconusAPIToken: '',
    },
    UI: { Enabled: true },
    Vaults: [{ Name: 'default', Enabled: secretsEnabled, Addr: '', Token: '' }],
    Consuls: [{ Name: 'default', Enabled: true, Addr: '', Token: '' }],
    Version: {
      Version: version,
      VersionPrerelease: '',
      VersionMetadata: '',
      Revision: '',
      BuildDate: null,
    },
  }
}
