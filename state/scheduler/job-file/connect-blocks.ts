import {
  anyValues,
  args,
  argumentsOnly,
  definite,
  type FixedContents,
  repeatedBlock,
  singleBlock,
  stringValues,
  withLabel,
} from './schema.ts'
import { logs, resources, volumeMount } from './task-blocks.ts'

const sidecarTask: FixedContents = {
  arguments: {
    ...definite('string', 'name driver user kill_signal'),
    ...args('duration', 'kill_timeout shutdown_delay'),
  },
  blocks: {
    config: singleBlock('Config', anyValues),
    env: singleBlock('Env', stringValues),
    meta: singleBlock('Meta', stringValues),
    resources,
    logs,
    volume_mount: volumeMount,
  },
}

const upstream: FixedContents = {
  arguments: {
    ...definite(
      'string',
      'destination_name destination_namespace destination_peer destination_partition destination_type',
    ),
    ...definite('string', 'datacenter local_bind_address'),
    ...definite('string', 'local_bind_socket_path local_bind_socket_mode'),
    ...definite('int', 'local_bind_port'),
  },
  blocks: {
    mesh_gateway: singleBlock('MeshGateway', argumentsOnly(definite('string', 'mode'))),
    config: singleBlock('Config', anyValues),
  },
}

const transparentProxy = argumentsOnly({
  ...definite('string', 'uid->UID'),
  ...definite('uint16', 'outbound_port'),
  ...definite('bool', 'no_dns->NoDNS'),
  ...args(
    'list of string',
    'exclude_inbound_ports exclude_outbound_cidrs->ExcludeOutboundCIDRs exclude_uids->ExcludeUIDs',
  ),
  ...args('list of uint16', 'exclude_outbound_ports'),
})

const exposedPath = argumentsOnly({
  ...definite('string', 'path protocol listener_port'),
  ...definite('int', 'local_path_port'),
})

const sidecarService: FixedContents = {
  arguments: {
    ...args('list of string', 'tags'),
    ...definite('string', 'port'),
    ...definite('bool', 'disable_default_tcp_check->DisableDefaultTCPCheck'),
  },
  blocks: {
    meta: singleBlock('Meta', stringValues),
    proxy: singleBlock('Proxy', {
      arguments: {
        ...definite('string', 'local_service_address'),
        ...definite('int', 'local_service_port'),
      },
      blocks: {
        expose: singleBlock('Expose', {
          arguments: {},
          blocks: { path: repeatedBlock('Paths', exposedPath) },
        }),
        upstreams: repeatedBlock('Upstreams', upstream),
        transparent_proxy: singleBlock('TransparentProxy', transparentProxy),
        config: singleBlock('Config', anyValues),
      },
    }),
  },
}

const encryption: FixedContents = {
  arguments: {
    ...definite('bool', 'enabled'),
    ...definite('string', 'tls_min_version->TLSMinVersion tls_max_version->TLSMaxVersion'),
    ...args('list of string', 'cipher_suites'),
  },
  blocks: {
    sds: singleBlock('SDS', argumentsOnly(definite('string', 'cluster_name cert_resource'))),
  },
}

const headerChanges: FixedContents = {
  arguments: args('list of string', 'remove'),
  blocks: { add: singleBlock('Add', stringValues), set: singleBlock('Set', stringValues) },
}

const listener: FixedContents = {
  arguments: { ...definite('int', 'port'), ...definite('string', 'protocol') },
  blocks: {
    service: repeatedBlock('Services', {
      arguments: {
        ...definite('string', 'name'),
        ...args('list of string', 'hosts'),
        ...args('uint32', 'max_connections max_pending_requests max_concurrent_requests'),
      },
      blocks: {
        tls: singleBlock('TLS', encryption),
        request_headers: singleBlock('RequestHeaders', headerChanges),
        response_headers: singleBlock('ResponseHeaders', headerChanges),
      },
    }),
  },
}

const linkedService = argumentsOnly(
  definite('string', 'name ca_file->CAFile cert_file->CertFile key_file->KeyFile sni->SNI'),
)

const gateway: FixedContents = {
  arguments: {},
  blocks: {
    proxy: singleBlock('Proxy', {
      arguments: {
        ...args('duration', 'connect_timeout'),
        ...definite('bool', 'envoy_gateway_bind_tagged_addresses envoy_gateway_no_default_bind'),
        ...definite('string', 'envoy_dns_discovery_type->EnvoyDNSDiscoveryType'),
      },
      blocks: {
        envoy_gateway_bind_addresses: {
          member: 'EnvoyGatewayBindAddresses',
          as: 'map',
          contents: argumentsOnly({ ...definite('string', 'address'), ...definite('int', 'port') }),
          ...withLabel('', 'Name'),
        },
        config: singleBlock('Config', anyValues),
      },
    }),
    ingress: singleBlock('Ingress', {
      arguments: {},
      blocks: {
        tls: singleBlock('TLS', encryption),
        listener: repeatedBlock('Listeners', listener),
      },
    }),
    terminating: singleBlock('Terminating', {
      arguments: {},
      blocks: { service: repeatedBlock('Services', linkedService) },
    }),
    mesh: singleBlock('Mesh', argumentsOnly({})),
  },
}

/**
 * `connect` of a service: its configuration in the mesh. Stored as the reference's object, without
 * defaults.
 */
export const connect = singleBlock('Connect', {
  arguments: definite('bool', 'native'),
  blocks: {
    sidecar_service: singleBlock('SidecarService', sidecarService),
    sidecar_task: singleBlock('SidecarTask', sidecarTask),
    gateway: singleBlock('Gateway', gateway),
  },
})
