import {
  any,
  bool,
  int,
  list,
  map,
  nullable,
  type Shape,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { vendorField } from '../dialect/vendor-names.ts'
import { duration, flag, requiredField, texts } from '../fields/field-kinds.ts'

/** Fields of the engine's configuration (behaviour/secrets#api-orch). */
export const configFields = {
  orch_host: described(
    text,
    "URL of the orchestrator's API; required unless the environment of the pod contains it",
  ),
  orch_ca_cert: described(
    text,
    "PEM certificate of the orchestrator's CA; the CA of the pod if left out",
  ),
  service_account_jwt: described(
    text,
    "Token of the engine's service account; the token of the pod if left out",
  ),
  disable_local_ca_jwt: described(
    bool,
    'Whether the CA certificate and the token of the pod are ignored',
  ),
} as const

/** Fields of a role (behaviour/secrets#api-orch). */
export const roleFields = {
  allowed_orch_namespaces: texts(
    'Allowed orchestrator namespaces; `*` for all. Required for a new role without a selector',
  ),
  allowed_orch_namespace_selector: described(
    text,
    'Label selector for more allowed namespaces, as JSON or YAML (newer releases)',
  ),
  token_max_ttl: duration('Maximum lifetime of a token; 0 means the maximum of the mount'),
  token_default_ttl: duration('Default lifetime of a token; 0 means the default of the mount'),
  token_default_audiences: texts('Default audiences of a token (newer releases)'),
  service_account_name: described(
    text,
    'Existing service account; credentials are a token for the account',
  ),
  orch_role_name: described(
    text,
    'Existing role; credentials are a new account that is bound to the role, and a token',
  ),
  orch_role_type: described(text, '`Role` (default) or `ClusterRole`'),
  generated_role_rules: described(
    text,
    'Rules as JSON or YAML; credentials are a new role, a new account that is bound to it, and a token',
  ),
  name_template: described(text, 'Template for the names of generated objects'),
  extra_annotations: described(map(text), 'Annotations of all generated objects'),
  extra_labels: described(map(text), 'Labels of all generated objects'),
  additional_metadata: described(
    map(any),
    '`labels` and `annotations` in one object, as in early releases',
  ),
} as const

/** Fields of a request for credentials (behaviour/secrets#api-orch). */
export const credentialsFields = {
  orch_namespace: requiredField(described(text, 'Orchestrator namespace for the credentials')),
  cluster_role_binding: flag(
    'Whether the permissions apply to the whole cluster; requires the role type ClusterRole',
  ),
  ttl: duration('Requested lifetime of the credentials'),
  audiences: texts('Audiences of the token (newer releases)'),
} as const

/**
 * Returns the shape of an object whose members have either all neutral names or all vendor names.
 *
 * @param more members that only the vendor has
 */
function withVendorNames(
  properties: Readonly<Record<string, Shape>>,
  more: Readonly<Record<string, Shape>> = {},
): Shape {
  const vendor = Object.fromEntries(
    Object.entries({ ...properties, ...more }).map(([name, shape]) => [vendorField(name), shape]),
  )
  return union(struct(properties), struct(vendor))
}

const textList = list(text)
const tags = nullable(map(text))

/** Reply to reading the configuration, without credentials. */
export const configData = withVendorNames({
  disable_local_ca_jwt: bool,
  orch_ca_cert: text,
  orch_host: text,
})

export const roleData = withVendorNames(
  {
    additional_metadata: struct({ labels: optional(map(any)), annotations: optional(map(any)) }),
    allowed_orch_namespaces: textList,
    generated_role_rules: text,
    name: text,
    name_template: text,
    orch_role_name: text,
    orch_role_type: word('Role', 'ClusterRole'),
    service_account_name: text,
    token_default_ttl: described(int, 'Seconds'),
    token_max_ttl: described(int, 'Seconds'),
  },
  {
    allowed_orch_namespace_selector: text,
    extra_annotations: tags,
    extra_labels: tags,
    token_default_audiences: nullable(textList),
  },
)

export const credentialsData = struct({
  service_account_name: text,
  service_account_namespace: text,
  service_account_token: described(text, 'JWT of the service account'),
})
