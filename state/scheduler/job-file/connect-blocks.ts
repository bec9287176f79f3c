import {
  all,
  anything,
  definite,
  type FixedContents,
  labelled,
  many,
  one,
  plain,
  texts,
} from './schema.ts'
import { logs, resources, volumeMount } from './task-parts.ts'

const sidecarTask: FixedContents = {
  arguments: {
    ...definite('string', 'name driver user kill_signal'),
    ...all('duration', 'kill_timeout shutdown_delay'),
  },
  blocks: {
    config: one('Config', anything),
    env: one('Env', texts),
    meta: one('Meta', texts),
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
    mesh_gateway: one('MeshGateway', plain(definite('string', 'mode'))),
    config: one('Config', anything),
  },
}

const transparentProxy = plain({
  ...definite('string', 'uid->UID'),
  ...definite('uint16', 'outbound_port'),
  ...definite('bool', 'no_dns->NoDNS'),
  ...all(
    'list of string',
    'exclude_inbound_ports exclude_outbound_cidrs->ExcludeOutboundCIDRs exclude_uids->ExcludeUIDs',
  ),
  ...all('list of uint16', 'exclude_outbound_ports'),
})

const exposedPath = plain({
  ...definite('string', 'path protocol listener_port'),
  ...definite('int', 'local_path_port'),
})

const sidecarService: FixedContents = {
  arguments: {
    ...all('list of string', 'tags'),
    ...definite('string', 'port'),
    ...definite('bool', 'disable_default_tcp_check->DisableDefaultTCPCheck'),
  },
  blocks: {
    meta: one('Meta', texts),
    proxy: one('Proxy', {
      arguments: {
        ...definite('string', 'local_service_address'),
        ...definite('int', 'local_service_port'),
      },
      blocks: {
        expose: one('Expose', { arguments: {}, blocks: { path: many('Paths', exposedPath) } }),
        upstreams: many('Upstreams', upstream),
        transparent_proxy: one('TransparentProxy', transparentProxy),
        config: one('Config', anything),
      },
    }),
  },
}

const encryption: FixedContents = {
  arguments: {
    ...definite('bool', 'enabled'),
    ...definite('string', 'tls_min_version->TLSMinVersion tls_max_version->TLSMaxVersion'),
    ...all('list of string', 'cipher_suites'),
  },
  blocks: { sds: one('SDS', plain(definite('string', 'cluster_name cert_resource'))) },
}

const headerChanges: FixedContents = {
  arguments: all('list of string', 'remove'),
  blocks: { add: one('Add', texts), set: one('Set', texts) },
}

const listener: FixedContents = {
  arguments: { ...definite('int', 'port'), ...definite('string', 'protocol') },
  blocks: {
    service: many('Services', {
      arguments: {
        ...definite('string', 'name'),
        ...all('list of string', 'hosts'),
        ...all('uint32', 'max_connections max_pending_requests max_concurrent_requests'),
      },
      blocks: {
        tls: one('TLS', encryption),
        request_headers: one('RequestHeaders', headerChanges),
        response_headers: one('ResponseHeaders', headerChanges),
      },
    }),
  },
}

const linkedService = plain(
  definite('string', 'name ca_file->CAFile cert_file->CertFile key_file->KeyFile sni->SNI'),
)

const gateway: FixedContents = {
  arguments: {},
  blocks: {
    proxy: one('Proxy', {
      arguments: {
        ...all('duration', 'connect_timeout'),
        ...definite('bool', 'envoy_gateway_bind_tagged_addresses envoy_gateway_no_default_bind'),
        ...definite('string', 'envoy_dns_discovery_type->EnvoyDNSDiscoveryType'),
      },
      blocks: {
        envoy_gateway_bind_addresses: {
          member: 'EnvoyGatewayBindAddresses',
          as: 'map',
          contents: plain({ ...definite('string', 'address'), ...definite('int', 'port') }),
          ...labelled('', 'Name'),
        },
        config: one('Config', anything),
      },
    }),
    ingress: one('Ingress', {
      arguments: {},
      blocks: { tls: one('TLS', encryption), listener: many('Listeners', listener) },
    }),
    terminating: one('Terminating', {
      arguments: {},
      blocks: { service: many('Services', linkedService) },
    }),
    mesh: one('Mesh', plain({})),
  },
}

/** `connect` of a service: the service in the mesh. Kept as the reference's object, without defaults. */
export const connect = one('Connect', {
  arguments: definite('bool', 'native'),
  blocks: {
    sidecar_service: one('SidecarService', sidecarService),
    sidecar_task: one('SidecarTask', sidecarTask),
    gateway: one('Gateway', gateway),
  },
})
