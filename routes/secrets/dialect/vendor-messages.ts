import type { Wording } from '../../../state/kernel/message.ts'
import type { WordingOf } from '../../../state/kernel/refusal.ts'
import {
  authenticationChecks,
  type table as cloudTexts,
} from '../../../state/secrets/cloud/messages.ts'
import type { commonMessages } from '../../../state/secrets/common-messages.ts'
import type { table as mountTexts } from '../../../state/secrets/mounts/messages.ts'
import type { table as orchTexts } from '../../../state/secrets/orch/messages.ts'
import type { table as orchLoginTexts } from '../../../state/secrets/orch-login/messages.ts'
import type { table as sealTexts } from '../../../state/secrets/seal/messages.ts'
import type { table as transitTexts } from '../../../state/secrets/transit/messages.ts'
import type { routeTexts } from '../messages.ts'
import { vendorFieldMessages } from './vendor-names.ts'

/** All messages of the secrets API, by rule. */
type SecretsMessages = typeof commonMessages &
  typeof cloudTexts &
  typeof mountTexts &
  typeof orchTexts &
  typeof orchLoginTexts &
  typeof routeTexts &
  typeof sealTexts &
  typeof transitTexts

const notAuthenticated = Object.fromEntries(
  Object.keys(authenticationChecks).map((check) => [check, 'OCI authentication failed']),
)

/**
 * Messages that the vendor words differently (behaviour/secrets#vendor-names). Parameters, such as
 * names that callers chose, are not translated.
 */
const messages: WordingOf<SecretsMessages> = {
  sealed: 'Vault is sealed',
  'type-orch': 'kubernetes',
  'type-cloud': 'oci',
  'type-mesh': 'consul',
  'type-scheduler': 'nomad',
  ...notAuthenticated,
  'orch-host-unset':
    'kubernetes_host was unset and could not be determined from environment variables',
  'orch-environment-missing':
    'Missing environment variables: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT_HTTPS',
  'orch-host-missing': 'Missing environment variables: KUBERNETES_SERVICE_HOST',
  'orch-port-missing': 'Missing environment variables: KUBERNETES_SERVICE_PORT_HTTPS',
  'orch-namespace-missing': "'kubernetes_namespace' is required",
  'orch-namespace-not-allowed':
    "kubernetes_namespace '{asked}' is not present in role's allowed_kubernetes_namespaces",
  'label-selector-invalid':
    "failed to parse 'allowed_kubernetes_namespace_selector' as k8s.io/api/meta/v1/LabelSelector object",
  'role-rules-invalid':
    "failed to parse 'generated_role_rules' as k8s.io/api/rbac/v1/Policy object",
  'orch-namespaces-missing': 'allowed_kubernetes_namespaces must be set',
  'orch-role-modes':
    'one (and only one) of service_account_name, kubernetes_role_name or generated_role_rules must be set',
  'orch-role-type-unknown': "kubernetes_role_type must be either 'Role' or 'ClusterRole'",
  'orch-login-ca-missing': 'kubernetes_ca_cert must be given when disable_local_ca_jwt is true',
  'orch-ttl-above-mount':
    "ttl of {ttl} is greater than Vault's max lease ttl {most}; capping accordingly",
  'orch-ttl-granted-less':
    'the created Kubernetes service accout token TTL {most} is less than the Vault lease TTL {ttl}; capping the lease TTL accordingly',
  'already-initialized': 'Vault is already initialized',
  'not-initialized': 'Vault is not initialized',
  'already-unsealed': 'vault is unsealed',
  'request-header-missing': 'missing "X-Vault-Request" header',
  'wrap-ttl-unreadable': 'error parsing X-Vault-Wrap-TTL header: {why}',
  'tidy-started':
    "Tidy operation successfully started. Any information from the operation will be printed to Vault's server logs.",
  'remount-queued':
    "Mount move has been queued. Progress will be reported in Vault's server log, tagged with the returned migration_id",
  'primary-being-enabled':
    'This cluster is being enabled as a primary for replication. Vault will be unavailable for a brief period and will resume service shortly.',
  'primary-being-demoted':
    'This cluster is being demoted to a replication secondary. Vault will be unavailable for a brief period and will resume service shortly.',
  'replication-being-disabled':
    'This cluster is having replication disabled. Vault will be unavailable for a brief period and will resume service shortly.',
  'secondary-being-promoted':
    'This cluster is being promoted to a replication primary. Vault will be unavailable for a brief period and will resume service shortly.',
  'brief-pause': 'Vault will be unavailable for a brief period and will resume service shortly.',
  'primary-found':
    'Vault has successfully found secondary information; it may take a while to perform setup tasks. Vault will be unavailable until these tasks and initial sync complete.',
  'kv2-path-invalid':
    "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Vault CLI, use 'vault kv {command}' for this operation.",
  'api-title': 'HashiCorp Vault API',
  'api-description': 'HTTP API that gives full access to Vault. All routes begin with `/v1/`.',
  'login-no-memberships': 'No membership OCIDs found',
  'login-membership': 'Entity not a part of any of the Role OCIDs',
  'decryption-version-forced':
    'since Vault 0.3, transit key numbering starts at 1; forcing minimum to 1',
  'too-many-cids': 'Number of OCIDs for this role exceeds the limit',
}

/** Messages of the vendor dialect. */
export const vendorMessages: Wording = { ...messages, ...vendorFieldMessages }
