import type { ClientVariables } from '../routes/control/worlds/environment.ts'
import type { MeshInfo } from '../state/mesh/service.ts'
import type { PlatformInfo } from '../state/platform/service.ts'
import type { SchedulerInfo } from '../state/scheduler/service.ts'
import type { SecretsInfo } from '../state/secrets/service.ts'
import type { ApiName } from './api-names.ts'

/**
 * Names of the secrets clients' environment variables without the prefix `VAULT_` or `BAO_`, except
 * those for address and token.
 */
const secretsClientSettings = [
  'AGENT_ADDR',
  'CACERT',
  'CACERT_BYTES',
  'CAPATH',
  'CLIENT_CERT',
  'CLIENT_KEY',
  'HTTP_PROXY',
  'MFA',
  'NAMESPACE',
  'PROXY_ADDR',
  'SKIP_VERIFY',
  'SRV_LOOKUP',
  'TLS_SERVER_NAME',
  'WRAP_TTL',
] as const

/**
 * Environment variables of the products' clients. The variables have a file of their own, because
 * the client package and commands that start no server need only these names.
 */
export const clientVariables: Readonly<Record<ApiName, ClientVariables>> = {
  secrets: {
    urls: ['VAULT_ADDR', 'BAO_ADDR'],
    tokens: ['VAULT_TOKEN', 'BAO_TOKEN'],
    authorities: ['VAULT_CACERT', 'BAO_CACERT'],
    prefixes: ['VAULT_', 'BAO_'],
    unset: ['VAULT_', 'BAO_'].flatMap((prefix) =>
      secretsClientSettings.map((each) => prefix + each),
    ),
    token: (info: SecretsInfo) => info.token,
  },
  platform: {
    urls: ['TFE_ADDRESS'],
    hosts: ['TFE_HOSTNAME'],
    tokens: ['TFE_TOKEN'],
    // No CA variable: platform clients trust the certificates of the operating system.
    authorities: [],
    prefixes: ['TFE_', 'TF_', 'TERRAFORM_CONFIG'],
    harmless: [
      'TF_ACC',
      'TF_DATA_DIR',
      'TF_IGNORE',
      'TF_IN_AUTOMATION',
      'TF_INPUT',
      'TF_LOG',
      'TF_PLUGIN_CACHE',
      'TF_VAR_',
    ],
    unset: [
      'TFE_SSL_SKIP_VERIFY',
      'TF_CLI_CONFIG_FILE',
      'TF_CLOUD_HOSTNAME',
      'TF_CLOUD_ORGANIZATION',
      'TF_CLOUD_PROJECT',
    ],
    token: (info: PlatformInfo) => info.tokens.owner,
  },
  mesh: {
    urls: ['CONSUL_HTTP_ADDR'],
    tokens: ['CONSUL_HTTP_TOKEN'],
    authorities: ['CONSUL_CACERT'],
    prefixes: ['CONSUL_'],
    unset: [
      'CONSUL_CACERT',
      'CONSUL_CAPATH',
      'CONSUL_CLIENT_CERT',
      'CONSUL_CLIENT_KEY',
      'CONSUL_GRPC_ADDR',
      'CONSUL_HTTP_AUTH',
      'CONSUL_HTTP_SSL',
      'CONSUL_HTTP_SSL_VERIFY',
      'CONSUL_HTTP_TOKEN_FILE',
      'CONSUL_NAMESPACE',
      'CONSUL_PARTITION',
      'CONSUL_TLS_SERVER_NAME',
    ],
    token: (info: MeshInfo) => info.token,
  },
  scheduler: {
    urls: ['NOMAD_ADDR'],
    tokens: ['NOMAD_TOKEN'],
    authorities: ['NOMAD_CACERT'],
    prefixes: ['NOMAD_'],
    unset: [
      'NOMAD_CACERT',
      'NOMAD_CAPATH',
      'NOMAD_CLIENT_CERT',
      'NOMAD_CLIENT_KEY',
      'NOMAD_HTTP_AUTH',
      'NOMAD_NAMESPACE',
      'NOMAD_REGION',
      'NOMAD_SKIP_VERIFY',
      'NOMAD_TLS_SERVER_NAME',
    ],
    token: (info: SchedulerInfo) => info.token,
  },
}
