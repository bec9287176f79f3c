import { type Message, renderMessage, type Wording } from '../../../state/kernel/message.ts'
import type { WordingOf } from '../../../state/kernel/refusal.ts'
import {
  authenticationChecks,
  type table as cloudTexts,
} from '../../../state/secrets/cloud/messages.ts'
import type { commonMessages } from '../../../state/secrets/common-messages.ts'
import type { table as jwtTexts } from '../../../state/secrets/jwt/messages.ts'
import type { table as secretsTexts } from '../../../state/secrets/messages.ts'
import type { table as mfaTexts } from '../../../state/secrets/mfa/messages.ts'
import type { table as mountTexts } from '../../../state/secrets/mounts/messages.ts'
import type { table as orchTexts } from '../../../state/secrets/orch/messages.ts'
import type { table as orchLoginTexts } from '../../../state/secrets/orch-login/messages.ts'
import type { table as pkiTexts } from '../../../state/secrets/pki/messages.ts'
import type { table as sealTexts } from '../../../state/secrets/seal/messages.ts'
import type { table as transitTexts } from '../../../state/secrets/transit/messages.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import type { routeTexts } from '../messages.ts'
import { vendorField, vendorFieldMessages, vendorType, withVendorFields } from './vendor-names.ts'

/**
 * Messages by rule, from all tables in which the vendor dialect changes the wording of some
 * messages.
 */
type SecretsMessages = typeof commonMessages &
  typeof pkiTexts &
  typeof cloudTexts &
  typeof jwtTexts &
  typeof mfaTexts &
  typeof mountTexts &
  typeof orchTexts &
  typeof orchLoginTexts &
  typeof routeTexts &
  typeof secretsTexts &
  typeof sealTexts &
  typeof transitTexts

const notAuthenticated = Object.fromEntries(
  Object.keys(authenticationChecks).map((check) => [check, 'OCI authentication failed']),
)

/**
 * Texts of the vendor dialect that differ from the neutral ones (behaviour/secrets#vendor-names).
 * Texts that callers chose, such as names in parameters, are not translated.
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
  'orch-host-undetermined':
    'kubernetes_host was unset and could not determine it from environment variables',
  'orch-namespace-undetermined':
    "error verifying namespace: 'kubernetes_namespace' is required unless the Vault role has a single namespace specified",
  'orch-environment-missing':
    'Missing environment variables: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT_HTTPS',
  'orch-host-missing': 'Missing environment variables: KUBERNETES_SERVICE_HOST',
  'orch-port-missing': 'Missing environment variables: KUBERNETES_SERVICE_PORT_HTTPS',
  'orch-namespace-missing': "'kubernetes_namespace' is required",
  'orch-namespace-not-allowed':
    "kubernetes_namespace '{asked}' is not present in role's allowed_kubernetes_namespaces or does not match role's label selector allowed_kubernetes_namespace_selector",
  'label-selector-invalid':
    "failed to parse 'allowed_kubernetes_namespace_selector' as k8s.io/api/meta/v1/LabelSelector object",
  'role-rules-invalid':
    "failed to parse 'generated_role_rules' as k8s.io/api/rbac/v1/Policy object",
  'orch-namespaces-missing':
    'one (at least) of allowed_kubernetes_namespaces or allowed_kubernetes_namespace_selector must be set',
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
  'ui-header-reserved': 'X-Vault headers cannot be set',
  'wrap-ttl-unreadable': 'error parsing X-Vault-Wrap-TTL header: {why}',
  'mfa-header-without-method':
    'failed to parse X-Vault-MFA header: invalid data in header "X-Vault-MFA"; missing method name or ID',
  'mfa-header-without-value':
    'failed to parse X-Vault-MFA header: invalid data in header "X-Vault-MFA"; missing method value',
  'tidy-started':
    "Tidy operation successfully started. Any information from the operation will be printed to Vault's server logs.",
  'pki-cross-cluster-community':
    'Global, cross-cluster revocation queue (cross_cluster_revocation) can only be enabled on Vault Enterprise.',
  'pki-unified-crl-community': 'unified_crl can only be enabled on Vault Enterprise',
  'pki-default-unchanged':
    'Default issuer left unchanged: could not select new issuer automatically as multiple imported issuers had key material in Vault.',
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
  'jwt-state-unknown': 'Vault login failed. Expired or missing OAuth state.',
  'jwt-code-missing': 'Vault login failed. No code or id_token received.',
  'jwt-exchange-failed': 'Vault login failed. Error exchanging oidc code: {why}.',
  'decryption-version-forced':
    'since Vault 0.3, transit key numbering starts at 1; forcing minimum to 1',
  'too-many-cids': 'Number of OCIDs for this role exceeds the limit',
}

export const vendorMessages: Wording = { ...messages, ...vendorFieldMessages }

/**
 * The members of a dialect that only the secrets API needs (behaviour/secrets#notation and
 * behaviour/secrets#vendor-names).
 */
export interface SecretsDialect {
  readonly name: DialectName
  /** Prefix of the names of the API's headers, in the letter case in which it is sent. */
  readonly headerPrefix: string
  /** First part of the names of metrics. */
  readonly metricsPrefix: string
  /** First part of the transit engine's ciphertexts and signatures. */
  readonly transitPrefix: string
  /** Suffix of the versions of built-in plug-ins: `+builtin.vault` in the vendor dialect. */
  readonly builtinSuffix: string
  /** Renders a message, such as an error or a warning, with the wording of the dialect. */
  render(message: Message): string
  /** Returns the dialect's name of a declared field. */
  fieldName(neutral: string): string
  /** Returns a payload in which top-level fields have the names of the dialect. */
  fields(neutral: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Returns the dialect's name of a mount type. */
  mountType(neutral: string): string
  /**
   * True if replies have the reference's status wherever the specification defines a different one.
   */
  readonly usesReferenceStatuses: boolean
  /**
   * True if replies have the reference's body wherever the specification defines a different one
   * (behaviour/secrets#body-kinds).
   */
  readonly usesReferenceBodies: boolean
}

const neutralDialect: SecretsDialect = {
  name: 'neutral',
  headerPrefix: 'X-Secrets-',
  metricsPrefix: 'service',
  transitPrefix: 'service',
  builtinSuffix: '+builtin',
  render: (message) => renderMessage(message),
  fieldName: (neutral) => neutral,
  fields: (neutral) => neutral,
  mountType: (neutral) => neutral,
  usesReferenceStatuses: false,
  usesReferenceBodies: false,
}

const vendorDialect: SecretsDialect = {
  name: 'vendor',
  headerPrefix: 'X-Vault-',
  metricsPrefix: 'vault',
  transitPrefix: 'vault',
  builtinSuffix: '+builtin.vault',
  render: (message) => renderMessage(message, vendorMessages),
  fieldName: vendorField,
  fields: withVendorFields,
  mountType: vendorType,
  usesReferenceStatuses: true,
  usesReferenceBodies: true,
}

export function secretsDialect(name: DialectName): SecretsDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/**
 * Names of request headers in both dialects. The names are stored in lower case, because every
 * request looks them up.
 */
const requestHeaders = {
  token: ['x-secrets-token', 'x-vault-token'],
  namespace: ['x-secrets-namespace', 'x-vault-namespace'],
  request: ['x-secrets-request', 'x-vault-request'],
  'wrap-ttl': ['x-secrets-wrap-ttl', 'x-vault-wrap-ttl'],
  'wrap-format': ['x-secrets-wrap-format', 'x-vault-wrap-format'],
  index: ['x-secrets-index', 'x-vault-index'],
  mfa: ['x-secrets-mfa', 'x-vault-mfa'],
  inconsistent: ['x-secrets-inconsistent', 'x-vault-inconsistent'],
} as const

/**
 * Returns all values of a request header that may occur more than once, under the names of both
 * dialects; empty if the header is missing.
 */
export function apiHeaderValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: keyof typeof requestHeaders,
): string[] {
  const [neutralName, vendorName] = requestHeaders[name]
  // If a custom header occurs several times, Node joins the values with commas.
  const values = [headers[neutralName] ?? [], headers[vendorName] ?? []].flat()
  return values.flatMap((value) => value.split(',')).map((value) => value.trim())
}

/**
 * Returns the value of a request header under its name in either dialect
 * (behaviour/secrets#vendor-names): `token` stands for `X-Secrets-Token` or, if that is empty,
 * `X-Vault-Token`. Returns undefined if neither header is present. If the header occurs several
 * times, only its first value counts, as in the reference.
 */
export function apiHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: keyof typeof requestHeaders,
): string | undefined {
  const [neutralName, vendorName] = requestHeaders[name]
  const value = headers[neutralName] || headers[vendorName]
  const text = typeof value === 'string' ? value : value?.[0]
  const comma = text?.indexOf(', ') ?? -1
  return comma < 0 ? text : text?.slice(0, comma)
}
