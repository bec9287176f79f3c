import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/** Messages about services in the mesh (behaviour/scheduler#connect). */
export const { table: connectMessages, message } = defineMessages(
  messageTexts({
    'mutator-failed': 'error in job mutator {mutator}: {error}',
    'native-task-ambiguous':
      'task for mesh native service {group}->{service} is ambiguous and must be set',
    'native-task-absent':
      'task {task} named by mesh native service {group}->{service} does not exist',
    'mesh-gateway-port': 'service.port must be set for mesh gateway service',

    'expose-network-count':
      'group {group} must specify one bridge network for exposing service check(s)',
    'expose-network-mode': 'group {group} must use bridge network for exposing service check(s)',
    'expose-port-unknown':
      'unable to determine local service port for service check {group}->{service}->{check}',
    'expose-without-sidecar':
      'exposed service check {group}->{service}->{check} requires use of sidecar_proxy',
    'expose-in-task':
      'exposed service check {group}[{task}]->{service}->{check} is not a task-group service',

    'sidecar-network-count':
      'Mesh sidecars require exactly 1 network, found {count} in group {group}',
    'sidecar-network-mode': 'Mesh sidecar requires bridge network, found {mode} in group {group}',
    'sidecar-service-uppercase':
      'Mesh service name {service} in group {group} must not contain uppercase characters',
    'sidecar-group-uppercase':
      'Mesh group {group} with service {service} must not contain uppercase characters',
    'gateway-network-count':
      'Mesh gateways require exactly 1 network, found {count} in group {group}',
    'gateway-network-mode':
      'Mesh Gateway service requires Task Group with network mode of type "bridge" or "host"',
    'upstreams-same-address':
      'Mesh services {service} and {other} in group {group} using same address for upstreams ({address})',
    'transparent-dns': 'Mesh transparent proxy cannot be used with network.dns unless no_dns=true',
    'transparent-port':
      'Mesh transparent proxy port {port} must be numeric or one of network.port labels',
    'transparent-alone': 'Mesh transparent proxy requires there is only one connect block',
    'transparent-cidr':
      'could not parse transparent proxy excluded outbound CIDR as network prefix: netip.ParsePrefix({cidr}): {why}',
    'transparent-uid': 'transparent proxy block has invalid UID field: {error}',
    'transparent-excluded-uid': 'transparent proxy block has invalid ExcludeUIDs field: {error}',
    'user-id-invalid': 'invalid user ID {id}: {why}',

    'connect-exclusive':
      'Mesh must be exclusively native, make use of a sidecar, or represent a Gateway',
    'native-without-task': 'Service {service} is Connect Native and requires setting the task',
    'native-without-port': 'Service {service} is Connect Native and requires setting the port',
    'proxy-task-services': 'Connect proxy task must not have a service block',
    'proxy-task-leader': 'Connect proxy task must not have leader set',
    'proxy-task-alone': 'No Connect services in task group with Connect proxy ({service})',
    'proxy-task-foreign':
      'Connect proxy service name ({service}) not found in Connect services from task group: {names}',
    'check-tcp-connect': 'tcp checks are not valid for Connect enabled services',
    'gateway-timeout': 'Mesh Gateway Proxy connection_timeout must be set',
    'gateway-discovery':
      'Mesh Gateway Proxy Envoy DNS Discovery type must be STRICT_DNS or LOGICAL_DNS',
    'gateway-address-missing': 'Mesh Gateway Bind Address must be set',
    'gateway-address-port': 'Mesh Gateway Bind Address must set valid Port',
    'gateway-kinds': 'One Mesh Gateway Configuration must be set',
    'ingress-empty': 'Mesh Ingress Gateway requires at least one listener',
    'listener-port': 'Mesh Ingress Listener requires valid Port',
    'listener-protocol':
      'Mesh Ingress Listener requires protocol of tcp, http, http2, grpc, got {protocol}',
    'listener-empty': 'Mesh Ingress Listener requires one or more services',
    'ingress-service-unnamed': 'Mesh Ingress Service requires a name',
    'ingress-wildcard-tcp':
      'Mesh Ingress Service doesn\'t support wildcard name for "tcp" protocol',
    'ingress-hosts-tcp':
      'Mesh Ingress Service doesn\'t support associating hosts to a service for the "tcp" protocol',
    'ingress-wildcard-hosts':
      'Mesh Ingress Service with a wildcard "*" service name can not also specify hosts',
    'terminating-empty': 'Mesh Terminating Gateway requires at least one service',
    'linked-unnamed': 'Mesh Linked Service requires Name',
    'linked-ca': 'Mesh Linked Service TLS requires CAFile',
    'linked-pair': 'Mesh Linked Service TLS Cert and Key must both be set',
    'linked-sni': 'Mesh Linked Service TLS SNI requires CAFile',
  }),
)
